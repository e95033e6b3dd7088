import { Test, type TestingModule } from '@nestjs/testing';
import { DatabaseModule } from '@animal-store/database';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { idempotencyTables } from '@animal-store/web/idempotency';
import { jobsTables, JobWorker } from '@animal-store/jobs';
import { DAY_MS, type Page, type Place } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { CreatePet } from '../pets/application/create-pet.use-case.js';
import { GetPet } from '../pets/application/get-pet.use-case.js';
import { ListPets } from '../pets/application/list-pets.use-case.js';
import { PetNotAvailable } from '../pets/domain/pet.errors.js';
import type { PetStatus } from '../pets/domain/pet.rules.js';
import { PetRepository } from '../pets/domain/pet.repository.js';
import { petsTables } from '../pets/infrastructure/pets.tables.js';
import { PetsModule } from '../pets/pets.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { loadSettings } from '../settings/settings.js';
import { EndOrder } from './application/end-order.use-case.js';
import { GetOrder } from './application/get-order.use-case.js';
import { ListOrders } from './application/list-orders.use-case.js';
import { PlaceOrder } from './application/place-order.use-case.js';
import type { Order } from './domain/order.js';
import { OrderNotOpen, PetAlreadyOrdered } from './domain/order.errors.js';
import { OrderRepository } from './domain/order.repository.js';
import { ordersTables } from './infrastructure/orders.tables.js';
import { OrdersModule } from './orders.module.js';
import { addOrder } from './testing/add-order.js';

describe.each(databases)('OrdersModule on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, petsTables, ordersTables, idempotencyTables, jobsTables);
  let clock: FakeClock;
  let store: TestingModule;

  beforeEach(() => start());

  async function start(environment: NodeJS.ProcessEnv = {}): Promise<void> {
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    store = await Test.createTestingModule({
      imports: [
        SettingsModule.forRoot(loadSettings(environment), clock),
        DatabaseModule.forRoot(temporary.database),
        PetsModule,
        OrdersModule,
      ],
    }).compile();
    // As at the start of a server, but for the hook that closes the database.
    await store.get(JobWorker).onApplicationBootstrap();
  }

  async function addPet(status: PetStatus = 'available'): Promise<bigint> {
    const pet = await store.get(CreatePet).execute({ name: 'Rex', categoryId: 7n, status });
    return pet.id;
  }

  const place = (account: string, petId: bigint) => store.get(PlaceOrder).execute(account, petId);
  const complete = (account: string, id: bigint) => store.get(EndOrder).execute(account, id, 'complete');
  const cancel = (account: string, id: bigint) => store.get(EndOrder).execute(account, id, 'cancel');
  const getOrder = (account: string, id: bigint) => store.get(GetOrder).execute(account, id);

  async function statusOfPet(id: bigint): Promise<PetStatus> {
    return (await store.get(GetPet).execute(id)).status;
  }

  async function ordersOf(account: string): Promise<Order[]> {
    const found: Order[] = [];
    let after: Place | null = null;
    do {
      const { items, next }: Page<Order> = await store
        .get(ListOrders)
        .execute({ account }, { limit: 100, after });
      found.push(...items);
      after = next;
    } while (after !== null);
    return found;
  }

  /** Adds an open order without reserving its animal. No use case leaves such an order. */
  function addOrderBehindTheBack(account: string, petId: bigint): Promise<Order> {
    return temporary.database.run((transaction) =>
      addOrder(store.get(OrderRepository), { account, petId }, transaction),
    );
  }

  it('places orders in the order of their ids, also when one waits for its animal', async () => {
    const [lockedPet, otherPet] = [await addPet(), await addPet()];
    const placed: bigint[] = [];
    const placing: Promise<unknown>[] = [];
    const placeNext = (petId: bigint) => {
      const order = place('zoo', petId).then(({ id }) => placed.push(id));
      placing.push(order);
      return order;
    };

    const { database } = temporary;
    const locking = database.run(async (transaction) => {
      await store.get(PetRepository).change(lockedPet, (pet) => pet, transaction);
      if (database.dialect === 'sqlite') return;
      void placeNext(lockedPet);
      await placeNext(otherPet);
    });
    // SQLite has one writer at a time.
    if (database.dialect === 'sqlite') for (const petId of [lockedPet, otherPet]) void placeNext(petId);
    await locking;

    await Promise.all(placing);
    expect(placed).toEqual([...placed].sort((one, other) => Number(one - other)));
  });

  it('does not reserve an animal whose order cannot be placed', async () => {
    const petId = await addPet();
    await addOrderBehindTheBack('circus', petId);

    await expect(place('zoo', petId)).rejects.toBeInstanceOf(PetAlreadyOrdered);
    expect(await statusOfPet(petId)).toBe('available');
  });

  it.each([
    ['complete', complete],
    ['cancel', cancel],
  ])('does not %s an order when its animal cannot change status', async (_verb, finish) => {
    const { id } = await addOrderBehindTheBack('zoo', await addPet('sold'));

    await expect(finish('zoo', id)).rejects.toBeInstanceOf(PetNotAvailable);
    expect((await getOrder('zoo', id)).status).toBe('placed');
  });

  it('places exactly one of 100 concurrent orders for an animal', async () => {
    const petId = await addPet();

    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_order, index) => place(index % 2 ? 'zoo' : 'circus', petId)),
    );

    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refusals).toHaveLength(99);
    expect(refusals.filter((reason) => reason instanceof PetNotAvailable)).toHaveLength(99);
    expect([...(await ordersOf('zoo')), ...(await ordersOf('circus'))]).toHaveLength(1);
    expect(await statusOfPet(petId)).toBe('pending');
  });

  describe('Open orders', () => {
    const runJobs = async () =>
      (await store.get(JobWorker).runDue()).filter(({ kind }) => kind.startsWith('orders.'));

    it('are cancelled once when they have expired, and their animals are available again', async () => {
      await start({ ORDER_EXPIRY_DAYS: '7' });
      const [expired, completed, young] = [await addPet(), await addPet(), await addPet()];
      const { id } = await place('zoo', expired);
      await complete('zoo', (await place('zoo', completed)).id);
      clock.advance(DAY_MS);
      await place('circus', young);

      clock.advance(6 * DAY_MS);
      await runJobs();
      expect((await getOrder('zoo', id)).status).toBe('placed');
      clock.advance(DAY_MS / 24);
      expect(await runJobs()).toEqual([{ kind: 'orders.expire', state: 'done', problem: null }]);
      const cancelled = await getOrder('zoo', id);
      expect(cancelled).toMatchObject({ status: 'cancelled', updatedAtMs: clock.now() });
      expect(await Promise.all([expired, completed, young].map(statusOfPet))).toEqual([
        'available',
        'sold',
        'pending',
      ]);
      await place('circus', expired);
      clock.advance(DAY_MS / 24);
      await runJobs();
      expect(await getOrder('zoo', id)).toEqual(cancelled);
      expect(await statusOfPet(expired)).toBe('pending');
    });

    it('are all cancelled, however many there are, but those whose accounts are faster', async () => {
      await start({ ORDER_EXPIRY_DAYS: '7' });
      const petIds = await Promise.all(Array.from({ length: 230 }, () => addPet()));
      const ids: bigint[] = [];
      for (const petId of petIds) ids.push((await place('zoo', petId)).id);

      clock.advance(8 * DAY_MS);
      await Promise.allSettled([runJobs(), ...ids.slice(0, 40).map((id) => complete('zoo', id))]);
      const orders = await ordersOf('zoo');
      expect(orders.filter(({ status }) => status === 'placed')).toEqual([]);
      for (const { petId, status } of orders)
        expect(await statusOfPet(petId)).toBe(status === 'completed' ? 'sold' : 'available');
    });

    it('do not block others when one cannot be cancelled', async () => {
      await start({ ORDER_EXPIRY_DAYS: '7' });
      const broken = await addOrderBehindTheBack('zoo', await addPet('sold'));
      await place('zoo', await addPet());
      clock.advance(60 * DAY_MS);

      expect(await runJobs()).toMatchObject([{ kind: 'orders.expire', state: 'delayed' }]);
      expect((await ordersOf('zoo')).map(({ id, status }) => [id === broken.id, status])).toEqual([
        [true, 'placed'],
        [false, 'cancelled'],
      ]);
    });

    it('stay open for ever unless the operator says how long', async () => {
      const { id } = await place('zoo', await addPet());
      clock.advance(3_650 * DAY_MS);

      expect(await runJobs()).toEqual([]);
      expect((await getOrder('zoo', id)).status).toBe('placed');
    });
  });

  it('leaves every animal and order consistent after many concurrent actions of several accounts', async () => {
    const accounts = ['zoo', 'circus', 'shelter'];
    const petIds: bigint[] = [];
    for (let count = 0; count < 30; count++) petIds.push(await addPet());
    const acknowledged = new Map<bigint, Order>();
    const unexpected: unknown[] = [];
    let losers = 0;

    const attempt = async (request: Promise<Order>): Promise<Order | null> => {
      try {
        const order = await request;
        acknowledged.set(order.id, order);
        return order;
      } catch (error) {
        if (error instanceof PetNotAvailable || error instanceof OrderNotOpen) losers++;
        else unexpected.push(error);
        return null;
      }
    };
    const customer = async (number: number): Promise<void> => {
      const account = accounts[number % accounts.length]!;
      for (let round = 0; round < 8; round++) {
        const order = await attempt(place(account, petIds[(number * 7 + round * 11) % petIds.length]!));
        if (!order) continue;
        const turn = (number + round) % 8;
        if (turn < 4) await attempt(cancel(account, order.id));
        else if (turn < 7) {
          // One owner sends both actions twice.
          const [first, second] = turn === 5 ? [cancel, complete] : [complete, cancel];
          const presses = [first, second, first, second].map((finish) => attempt(finish(account, order.id)));
          await Promise.all(presses);
        }
      }
    };
    await Promise.all(Array.from({ length: 24 }, (_customer, number) => customer(number)));

    const orders = (await Promise.all(accounts.map(ordersOf))).flat();
    const { items: pets } = await store.get(ListPets).execute({}, { limit: 100, after: null });
    expect(unexpected).toEqual([]);
    expect(losers).toBeGreaterThan(0);
    expect(new Map(orders.map((order) => [order.id, order]))).toEqual(acknowledged);
    for (const { id, status } of pets) {
      const count = (of: Order['status']) => orders.filter((o) => o.petId === id && o.status === of).length;
      expect({ id, placed: count('placed'), completed: count('completed') }).toEqual({
        id,
        placed: status === 'pending' ? 1 : 0,
        completed: status === 'sold' ? 1 : 0,
      });
    }
    expect(new Set(orders.map(({ status }) => status))).toEqual(
      new Set(['placed', 'completed', 'cancelled']),
    );
  });
});
