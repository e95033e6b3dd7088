import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '@animal-store/kernel';
import type { Order } from '../domain/order.js';
import { type OrderFilter, OrderRepository } from '../domain/order.repository.js';

/** Lists an account's orders in the order in which they were placed. */
@Injectable()
export class ListOrders {
  constructor(private readonly orders: OrderRepository) {}

  execute(filter: OrderFilter, page: PageRequest): Promise<Page<Order>> {
    return this.orders.list(filter, page);
  }
}
