import { OrderNotFound } from '../domain/order.errors.js';
import { anOrder } from '../testing/order.builder.js';
import { orderStorage } from '../testing/order-storage.js';
import { GetOrder } from './get-order.use-case.js';

describe('GetOrder', () => {
  const storage = orderStorage();
  let getOrder: GetOrder;

  beforeEach(async () => {
    getOrder = new GetOrder(storage.orders);
    await storage.put(anOrder({ account: 'zoo', petId: 5n, placedAtMs: 1_000 }));
  });

  it('finds the order', async () => {
    expect(await getOrder.execute('zoo', 1n)).toEqual({
      id: 1n,
      account: 'zoo',
      petId: 5n,
      status: 'placed',
      placedAtMs: 1_000,
      updatedAtMs: 1_000,
    });
  });

  it('refuses an id that no order has', async () => {
    await expect(getOrder.execute('zoo', 2n)).rejects.toThrow(OrderNotFound);
  });

  it('refuses the order of another account', async () => {
    await expect(getOrder.execute('circus', 1n)).rejects.toThrow(OrderNotFound);
  });
});
