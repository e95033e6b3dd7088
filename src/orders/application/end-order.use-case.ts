import { Injectable } from '@nestjs/common';
import { Clock, Outbox, type Precondition, UnitOfWork } from '@animal-store/kernel';
import { ChangePet } from '../../pets/application/change-pet.use-case.js';
import type { Order } from '../domain/order.js';
import { OrderNotFound } from '../domain/order.errors.js';
import { OrderChanged } from '../domain/order.events.js';
import { OrderRepository } from '../domain/order.repository.js';

/** What happens to the animal. */
const PET_VERBS = { complete: 'sell', cancel: 'release' } as const;

/** Completes an open order, which sells its animal, or cancels it, which makes the animal available again. */
@Injectable()
export class EndOrder {
  constructor(
    private readonly orders: OrderRepository,
    private readonly changePet: ChangePet,
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
    verb: keyof typeof PET_VERBS,
    precondition?: Precondition<Order>,
  ): Promise<Order> {
    return this.unitOfWork.run(async (transaction) => {
      const nowMs = this.clock.now();
      // Locks the order before its animal, like every use case that ends an order, so that requests cannot deadlock.
      const open = await this.orders.findOneBy({ account, id }, transaction);
      if (!open) throw new OrderNotFound(id);
      precondition?.(open);
      const order = open[verb](nowMs);
      await this.orders.save(order, transaction);
      await this.changePet.execute(order.petId, PET_VERBS[verb], transaction);
      await this.outbox.add(new OrderChanged(order), transaction);
      return order;
    });
  }
}
