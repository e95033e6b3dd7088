import { Order } from '../domain/order.js';
import type { OrderRecord } from './order.record.js';

export function toOrder({ id, account, petId, status, placedAt, updatedAt }: OrderRecord): Order {
  return Order.restore({
    id,
    account,
    petId,
    status,
    placedAtMs: Number(placedAt),
    updatedAtMs: Number(updatedAt),
  });
}
