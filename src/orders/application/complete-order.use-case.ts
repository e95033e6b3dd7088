import { Injectable } from '@nestjs/common';
import { SellPet } from '../../pets/application/sell-pet.use-case.js';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import type { Order } from '../domain/order.js';
import { OrderNotFound } from '../domain/order.errors.js';
import { OrderRepository } from '../domain/order.repository.js';

/** Completes an open order and marks its animal as sold. */
@Injectable()
export class CompleteOrder {
  constructor(
    private readonly orders: OrderRepository,
    private readonly sellPet: SellPet,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws OrderNotFound when the account has no order with this id.
   * @throws OrderNotOpen when the order is finished.
   */
  execute(account: string, id: bigint): Promise<Order> {
    return this.unitOfWork.run(async (transaction) => {
      const now = this.clock.now();
      // Locks the order before its animal, like every use case that ends an order, so that requests cannot deadlock.
      const order = await this.orders.change(account, id, (open) => open.complete(now), transaction);
      if (!order) throw new OrderNotFound(id);
      await this.sellPet.execute(order.petId, transaction);
      return order;
    });
  }
}
