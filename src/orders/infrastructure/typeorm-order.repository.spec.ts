import { describeRepository } from '@animal-store/database/testing';
import type { UnitOfWork } from '@animal-store/kernel';
import type { Order } from '../domain/order.js';
import { PetAlreadyOrdered } from '../domain/order.errors.js';
import type { OrderRepository } from '../domain/order.repository.js';
import { addOrder, type OrderFacts } from '../testing/add-order.js';
import { ordersTables } from './orders.tables.js';
import { TypeOrmOrderRepository } from './typeorm-order.repository.js';

describeRepository(TypeOrmOrderRepository, [ordersTables], (open) => {
  let orders: OrderRepository;
  let unitOfWork: UnitOfWork;

  beforeEach(() => ({ repository: orders, unitOfWork } = open()));

  function add(facts: OrderFacts = {}): Promise<Order> {
    return unitOfWork.run((transaction) => addOrder(orders, facts, transaction));
  }

  function change(account: string, id: bigint, by: (order: Order) => Order): Promise<Order | null> {
    return unitOfWork.run(async (transaction) => {
      const order = await orders.findOneBy({ account, id }, transaction);
      if (!order) return null;
      const changed = by(order);
      await orders.save(changed, transaction);
      return changed;
    });
  }

  async function addFinished(facts: OrderFacts, verb: 'complete' | 'cancel'): Promise<void> {
    const { account, id } = await add(facts);
    await change(account, id, (open) => open[verb](1_773_489_601_000));
  }

  const listed = async (account: string) =>
    (await orders.list({ account }, { limit: 20, after: null })).items;

  it('assigns ids from 1 in the sequence of adding, across accounts', async () => {
    expect((await add({ petId: 1n, account: 'zoo' })).id).toBe(1n);
    expect((await add({ petId: 2n, account: 'circus' })).id).toBe(2n);
  });

  it('finds an order as it was placed', async () => {
    const { id } = await add({
      account: 'Łódź zoo 🦜',
      petId: 9223372036854775807n,
      placedAtMs: 1_773_489_600_123,
    });

    expect(await orders.findOneBy({ account: 'Łódź zoo 🦜', id })).toEqual({
      id: 1n,
      account: 'Łódź zoo 🦜',
      petId: 9223372036854775807n,
      status: 'placed',
      placedAtMs: 1_773_489_600_123,
      updatedAtMs: 1_773_489_600_123,
    });
  });

  it('returns null for an id that no order has', async () => {
    expect(await orders.findOneBy({ account: 'zoo', id: 1n })).toBeNull();
    expect(await orders.findOneBy({ account: 'zoo', id: -(2n ** 63n) })).toBeNull();
    expect(await orders.findOneBy({ account: 'zoo', id: 2n ** 63n - 1n })).toBeNull();
  });

  it('hides an order from every other account', async () => {
    const { id } = await add({ account: 'zoo' });

    expect(await orders.findOneBy({ account: 'circus', id })).toBeNull();
    expect(await orders.findOneBy({ account: 'ZOO', id })).toBeNull();
    expect(await change('circus', id, (order) => order.cancel(1_773_489_601_000))).toBeNull();
    expect(await listed('circus')).toEqual([]);
    expect((await orders.findOneBy({ account: 'zoo', id }))?.status).toBe('placed');
  });

  it('stores the change of an order, and changes no other order', async () => {
    const { id } = await add({ petId: 5n, placedAtMs: 1_773_489_600_000 });
    const other = await add({ petId: 6n });

    const changed = await change('zoo', id, (order) => order.complete(1_773_489_601_500));

    expect(changed).toEqual({
      id: 1n,
      account: 'zoo',
      petId: 5n,
      status: 'completed',
      placedAtMs: 1_773_489_600_000,
      updatedAtMs: 1_773_489_601_500,
    });
    expect(await orders.findOneBy({ account: 'zoo', id })).toEqual(changed);
    expect(await orders.findOneBy({ account: 'zoo', id: other.id })).toEqual(other);
  });

  it('refuses a second open order for an animal, from any account', async () => {
    await add({ account: 'zoo', petId: 5n });

    await expect(add({ account: 'circus', petId: 5n })).rejects.toBeInstanceOf(PetAlreadyOrdered);
    expect(await listed('circus')).toEqual([]);
  });

  it('accepts a further order for an animal whose orders are all finished', async () => {
    await addFinished({ petId: 5n }, 'cancel');
    await addFinished({ petId: 5n }, 'cancel');

    expect((await add({ account: 'circus', petId: 5n })).status).toBe('placed');
  });

  it('lists the open orders of all accounts that were placed before a time, the oldest first', async () => {
    for (const [petId, placedAtMs] of [5_000, 3_000, 4_000, 3_000, 6_000].entries())
      await add({ account: petId % 2 ? 'circus' : 'zoo', petId: BigInt(petId), placedAtMs });
    await addFinished({ petId: 9n, placedAtMs: 1_000 }, 'complete');
    const open = async (limit: number, after: Order | null = null) =>
      (await orders.listOpen({ beforeMs: 6_000, after, limit })).map(({ id }) => id);

    expect(await open(10)).toEqual([2n, 4n, 3n, 1n]);
    expect(await open(3)).toEqual([2n, 4n, 3n]);
    expect(await open(10, await orders.findOneBy({ account: 'circus', id: 2n }))).toEqual([4n, 3n, 1n]);
  });
});
