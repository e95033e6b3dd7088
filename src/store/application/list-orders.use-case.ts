import { Injectable } from '@nestjs/common';
import type { Page } from '../../shared/page.js';
import type { Order } from '../domain/order.js';
import { OrderRepository } from '../domain/order.repository.js';
import type { OrderStatus } from '../domain/order-status.js';

export interface ListOrdersInput {
  readonly account: string;
  readonly status?: OrderStatus;
  readonly limit: number;
  /** The id after which the page starts; null for the first page. */
  readonly afterId: bigint | null;
}

/** Lists an account's orders in the order in which they were placed. */
@Injectable()
export class ListOrders {
  constructor(private readonly orders: OrderRepository) {}

  execute({ account, status, limit, afterId }: ListOrdersInput): Promise<Page<Order>> {
    return this.orders.list(account, { status }, limit, afterId);
  }
}
