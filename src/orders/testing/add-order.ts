import type { Transaction } from '@animal-store/kernel';
import { Order } from '../domain/order.js';
import type { OrderRepository } from '../domain/order.repository.js';

/** What an order is about. A test passes only the fields that matter to it. */
export type OrderFacts = Partial<{ account: string; petId: bigint; placedAtMs: number }>;

/** Stores an open order, without its animal. */
export function addOrder(
  orders: OrderRepository,
  { account = 'zoo', petId = 1n, placedAtMs = 1_773_489_600_000 }: OrderFacts,
  transaction: Transaction,
): Promise<Order> {
  return orders.add(Order.place(account, petId, placedAtMs), transaction);
}
