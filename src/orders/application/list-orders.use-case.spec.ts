import { anOrder } from '../testing/order.builder.js';
import { orderStorage } from '../testing/order-storage.js';
import { ListOrders } from './list-orders.use-case.js';

describe('ListOrders', () => {
  const storage = orderStorage();
  let listOrders: ListOrders;

  beforeEach(async () => {
    listOrders = new ListOrders(storage.orders);
    await storage.put(
      anOrder({ petId: 1n }),
      anOrder({ petId: 2n, account: 'circus' }),
      anOrder({ petId: 3n }),
      anOrder({ petId: 4n }),
    );
  });

  it('lists only the orders of the account, a page at a time', async () => {
    expect(await listOrders.execute({ account: 'zoo', limit: 2, after: null })).toMatchObject({
      items: [{ id: 1n }, { id: 3n }],
      next: { id: 3n },
    });
    expect(await listOrders.execute({ account: 'zoo', limit: 2, after: { id: 3n } })).toMatchObject({
      items: [{ id: 4n }],
      next: null,
    });
  });

  it('lists only the orders with the requested status', async () => {
    await storage.unitOfWork.run((transaction) =>
      storage.orders.change('zoo', 3n, (order) => order.cancel(2_000), transaction),
    );
    const cancelled = await listOrders.execute({
      account: 'zoo',
      status: ['cancelled'],
      limit: 2,
      after: null,
    });
    expect(cancelled).toMatchObject({ items: [{ id: 3n }], next: null });
  });
});
