import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '@animal-store/kernel';
import type { Order } from '../domain/order.js';
import { OrderRepository } from '../domain/order.repository.js';
import type { OrderStatus } from '../domain/order.rules.js';

export interface ListOrdersInput extends PageRequest {
  readonly account: string;
  readonly status?: readonly OrderStatus[];
}

/** Lists an account's orders in the order in which they were placed. */
@Injectable()
export class ListOrders {
  constructor(private readonly orders: OrderRepository) {}

  execute({ account, status, limit, after }: ListOrdersInput): Promise<Page<Order>> {
    return this.orders.list(account, { status }, { limit, after });
  }
}
