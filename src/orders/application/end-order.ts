import { Injectable } from '@nestjs/common';
import { Clock, Outbox, type Precondition, type Transaction, UnitOfWork } from '@animal-store/kernel';
import type { Order } from '../domain/order.js';
import { OrderNotFound } from '../domain/order.errors.js';
import { OrderChanged } from '../domain/order.events.js';
import { OrderRepository } from '../domain/order.repository.js';

/** The use case that changes the animal of an order that ends. */
interface PetChange {
  execute(id: bigint, within: Transaction): Promise<unknown>;
}

/** What the use cases that end an order share. */
@Injectable()
export class EndOrder {
  constructor(
    private readonly orders: OrderRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @throws OrderNotFound when the account has no order with this id.
   * @throws OrderNotOpen when the order is finished. What `precondition` throws comes first.
   */
  execute(
    account: string,
    id: bigint,
    end: (open: Order, nowMs: number) => Order,
    changePet: PetChange,
    precondition?: Precondition<Order>,
  ): Promise<Order> {
    return this.unitOfWork.run(async (transaction) => {
      const nowMs = this.clock.now();
      // Locks the order before its animal, like every use case that ends an order, so that requests cannot deadlock.
      const order = await this.orders.change(
        account,
        id,
        (current) => {
          precondition?.(current);
          return end(current, nowMs);
        },
        transaction,
      );
      if (!order) throw new OrderNotFound(id);
      await changePet.execute(order.petId, transaction);
      await this.outbox.add(new OrderChanged(order), transaction);
      return order;
    });
  }
}
