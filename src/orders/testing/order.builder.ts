import { NewOrder } from '../domain/order.js';

/** An order to place. A test passes only the fields it is about. */
export function anOrder({
  account = 'zoo',
  petId = 1n,
  placedAtMs = 1_773_489_600_000,
}: Partial<{ account: string; petId: bigint; placedAtMs: number }> = {}): NewOrder {
  return NewOrder.place(account, petId, placedAtMs);
}
