import { Injectable } from '@nestjs/common';
import type { Order } from '../domain/order.js';
import { OrderNotFound } from '../domain/order.errors.js';
import { OrderRepository } from '../domain/order.repository.js';

@Injectable()
export class GetOrder {
  constructor(private readonly orders: OrderRepository) {}

  /** @throws OrderNotFound when the account has no order with this id. */
  async execute(account: string, id: bigint): Promise<Order> {
    const order = await this.orders.findOneBy({ account, id });
    if (!order) throw new OrderNotFound(id);
    return order;
  }
}
