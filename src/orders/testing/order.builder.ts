import { NewOrder } from '../domain/order.js';

/** An order to place, of which a test names only what it is about. */
export function anOrder({
  account = 'zoo',
  petId = 1n,
  placedAtMs = 1_773_489_600_000,
}: Partial<{ account: string; petId: bigint; placedAtMs: number }> = {}): NewOrder {
  return NewOrder.place(account, petId, placedAtMs);
}
