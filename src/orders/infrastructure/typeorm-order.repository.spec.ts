import { describeRepository } from '@animal-store/database/testing';
import type { Transaction, UnitOfWork } from '@animal-store/kernel';
import type { Order } from '../domain/order.js';
import { OrderNotOpen, PetAlreadyOrdered } from '../domain/order.errors.js';
import type { OrderFilter, OrderRepository } from '../domain/order.repository.js';
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
    return unitOfWork.run((transaction) => changeWithin(transaction, { account, id }, by));
  }

  async function changeWithin(
    transaction: Transaction,
    key: Pick<Order, 'account' | 'id'>,
    by: (order: Order) => Order,
  ): Promise<Order | null> {
    const order = await orders.findOneBy(key, transaction);
    if (!order) return null;
    const changed = by(order);
    await orders.save(changed, transaction);
    return changed;
  }

  async function addFinished(facts: OrderFacts, verb: 'complete' | 'cancel'): Promise<void> {
    const { account, id } = await add(facts);
    await change(account, id, (open) => open[verb](1_773_489_601_000));
  }

  async function ids(
    account: string,
    filter: Omit<OrderFilter, 'account'>,
    limit: number,
    afterId: bigint | null,
  ) {
    const after = afterId === null ? null : { id: afterId };
    const { items, next } = await orders.list({ account, ...filter }, { limit, after });
    return { ids: items.map(({ id }) => id), nextAfterId: next?.id ?? null };
  }

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
    expect((await ids('circus', {}, 20, null)).ids).toEqual([]);
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

  it('does not change an order when its change is refused or its transaction fails', async () => {
    const { id } = await add();
    const failing = unitOfWork.run(async (transaction) => {
      await changeWithin(transaction, { account: 'zoo', id }, (order) => order.cancel(1_773_489_601_000));
      throw new Error('the keeper overslept');
    });
    await expect(failing).rejects.toThrow('the keeper overslept');
    expect((await orders.findOneBy({ account: 'zoo', id }))?.status).toBe('placed');

    await change('zoo', id, (order) => order.cancel(1_773_489_601_000));
    const refused = change('zoo', id, (order) => order.complete(1_773_489_602_000));
    await expect(refused).rejects.toBeInstanceOf(OrderNotOpen);
    expect((await orders.findOneBy({ account: 'zoo', id }))?.status).toBe('cancelled');
  });

  it('lets only one of many concurrent changes find an order open', async () => {
    const { id } = await add();

    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        change('zoo', id, (order) => (index % 2 ? order.complete(1) : order.cancel(1))),
      ),
    );

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('refuses a second open order for an animal, from any account', async () => {
    await add({ account: 'zoo', petId: 5n });

    await expect(add({ account: 'circus', petId: 5n })).rejects.toBeInstanceOf(PetAlreadyOrdered);
    expect((await ids('circus', {}, 20, null)).ids).toEqual([]);
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

  it('lists nothing when there are no orders', async () => {
    expect(await ids('zoo', {}, 20, null)).toEqual({ ids: [], nextAfterId: null });
  });

  it('lists the account’s orders ascending by id and returns where the next page starts', async () => {
    for (const [petId, account] of ['zoo', 'circus', 'zoo', 'zoo', 'circus', 'zoo', 'zoo'].entries()) {
      await add({ account, petId: BigInt(petId) });
    }

    expect(await ids('zoo', {}, 2, null)).toEqual({ ids: [1n, 3n], nextAfterId: 3n });
    expect(await ids('zoo', {}, 2, 3n)).toEqual({ ids: [4n, 6n], nextAfterId: 6n });
    expect(await ids('zoo', {}, 2, 6n)).toEqual({ ids: [7n], nextAfterId: null });
  });

  it('has no next page after a page that is exactly full', async () => {
    for (const petId of [1n, 2n]) await add({ petId });

    expect(await ids('zoo', {}, 2, null)).toEqual({ ids: [1n, 2n], nextAfterId: null });
  });

  it('lists only the requested statuses, on every page', async () => {
    await addFinished({}, 'cancel');
    await addFinished({}, 'complete');
    await addFinished({}, 'cancel');
    await addFinished({ account: 'circus' }, 'cancel');
    await add();
    await addFinished({ petId: 2n }, 'cancel');

    expect(await ids('zoo', { status: ['cancelled'] }, 2, null)).toEqual({ ids: [1n, 3n], nextAfterId: 3n });
    expect(await ids('zoo', { status: ['cancelled'] }, 2, 3n)).toEqual({ ids: [6n], nextAfterId: null });
    expect(await ids('zoo', { status: ['placed'] }, 2, null)).toEqual({ ids: [5n], nextAfterId: null });
    expect(await ids('zoo', { status: ['completed'] }, 2, null)).toEqual({ ids: [2n], nextAfterId: null });
    const finished = { status: ['completed', 'cancelled'] as const };
    expect(await ids('zoo', finished, 2, null)).toEqual({ ids: [1n, 2n], nextAfterId: 2n });
    expect(await ids('zoo', finished, 2, 2n)).toEqual({ ids: [3n, 6n], nextAfterId: null });
  });

  it('stores nothing of a transaction that fails', async () => {
    const failing = unitOfWork.run(async (transaction) => {
      await addOrder(orders, {}, transaction);
      throw new Error('the keeper overslept');
    });

    await expect(failing).rejects.toThrow('the keeper overslept');
    expect((await ids('zoo', {}, 20, null)).ids).toEqual([]);
  });
});
