import { FakeClock, RecordedOutbox } from '@animal-store/kernel/testing';
import { DAY_MS, type Transaction } from '@animal-store/kernel';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { Idempotency } from '@animal-store/idempotency';
import { DatabaseIdempotencyStore, idempotencyTables } from '@animal-store/web/idempotency';
import { CreatePet } from '../../src/pets/application/create-pet.use-case.js';
import { petsTables } from '../../src/pets/infrastructure/pets.tables.js';
import { TypeOrmPetRepository } from '../../src/pets/infrastructure/typeorm-pet.repository.js';

const KEY = { caller: 'key-1', value: 'f3b1' };
const FIRST = {
  response: { status: 201, headers: { Location: '/v1/pets/1' }, body: '{"id":1,"name":"Rex"}' },
  isReplayed: false,
};
const REUSED = { response: expect.objectContaining({ code: 'idempotency_key_reused' }) as object };
const IN_PROGRESS = { response: { code: 'idempotency_in_progress' } };

describe.each(databases)('Idempotency on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, petsTables, idempotencyTables);
  let clock: FakeClock;
  let pets: TypeOrmPetRepository;
  let create: CreatePet;
  let idempotency: Idempotency;

  beforeEach(async () => {
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    pets = new TypeOrmPetRepository(temporary.database);
    create = new CreatePet(pets, new RecordedOutbox());
    idempotency = replica();
  });

  function replica(store = new DatabaseIdempotencyStore(temporary.database, clock)): Idempotency {
    return new Idempotency({ store, callerOf: () => KEY.caller });
  }

  /** The work of a handler, which does not know of the transaction. */
  const addRex = async () => {
    const { id } = await create.execute({ name: 'Rex', categoryId: 7n });
    return { status: 201, headers: { Location: `/v1/pets/${id}` }, body: `{"id":${id},"name":"Rex"}` };
  };

  function createRex(key = KEY, fingerprint = 'Rex') {
    return idempotency.once(key, fingerprint, addRex);
  }

  async function petCount(): Promise<number> {
    return (await pets.list({}, { limit: 100, after: null })).items.length;
  }

  async function recordCount(): Promise<number> {
    const sql = 'SELECT idempotency_key FROM idempotency_records';
    return (await temporary.database.query(sql)).length;
  }

  it('replays the first response for retries at the same time, and refuses other requests with its key', async () => {
    await createRex();
    const other = replica();

    const outcomes = await Promise.allSettled([
      ...[idempotency, idempotency, other, other].map((any) => any.once(KEY, 'Rex', addRex)),
      createRex(KEY, 'Mia'),
    ]);

    const replayed = { response: expect.objectContaining(FIRST.response) as object, isReplayed: true };
    expect(outcomes).toEqual([
      ...Array.from({ length: 4 }, () => ({ status: 'fulfilled', value: replayed })),
      { status: 'rejected', reason: expect.objectContaining(REUSED) as object },
    ]);
  });

  it('refuses a retry while the first request is still running', async () => {
    let goOn = (): void => undefined;
    const isRefused = new Promise<void>((resolve) => (goOn = resolve));
    const first = idempotency.once(KEY, 'Rex', () => isRefused.then(addRex));

    await expect(createRex()).rejects.toMatchObject(IN_PROGRESS);
    goOn();
    expect(await first).toEqual(FIRST);
    expect(await petCount()).toBe(1);
  });

  describe('of many requests at the same time', () => {
    const keys = Array.from({ length: 20 }, (_, index) => ({ caller: 'key-1', value: `f3b${index}` }));

    it('stores the animal and the response of each, and replays them', async () => {
      const first = await Promise.all(keys.map((key) => createRex(key)));
      const again = await Promise.all(keys.map((key) => createRex(key)));

      expect(first.every(({ isReplayed }) => !isReplayed)).toBe(true);
      expect(new Set(first.map(({ response }) => response.body)).size).toBe(20);
      expect(again).toMatchObject(first.map(({ response }) => ({ response, isReplayed: true })));
      expect(await petCount()).toBe(20);
    });

    it.each(['before', 'after'])('stores nothing of one that fails %s it has written', async (when) => {
      const works = keys.map((key, index) =>
        idempotency.once(key, 'Rex', async () => {
          if (index === 7 && when === 'before') throw new Error('the cat got out');
          const response = await addRex();
          if (index === 7) throw new Error('the cat got out');
          return response;
        }),
      );
      const outcomes = await Promise.allSettled(works);

      expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([7]);
      expect(await petCount()).toBe(19);
      expect(await recordCount()).toBe(19);
      expect((await createRex(keys[7])).isReplayed).toBe(false);
    });

    it('does the work of a key once, whichever replicas get it among them', async () => {
      const replicas = [replica(), replica()];
      const works = replicas.flatMap((any) => keys.map((key) => any.once(key, 'Rex', addRex)));
      const outcomes = await Promise.allSettled(works);

      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(IN_PROGRESS);
      expect(await petCount()).toBe(20);
      expect(await recordCount()).toBe(20);
    });
  });

  it('stores the animal and the response together, or neither of them', async () => {
    class FailsBeforeCommit extends DatabaseIdempotencyStore {
      override transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
        return super.transaction(async (transaction) => {
          await work(transaction);
          throw new Error('the disk is full');
        });
      }
    }
    const failing = replica(new FailsBeforeCommit(temporary.database, clock)).once(KEY, 'Rex', addRex);

    await expect(failing).rejects.toThrow('the disk is full');
    expect(await petCount()).toBe(0);
    expect(await recordCount()).toBe(0);
  });

  /** Makes the first responses older. */
  async function age(ms: number): Promise<void> {
    const sql = 'UPDATE idempotency_records SET created_at = created_at - CAST(? AS bigint)';
    await temporary.database.run((transaction) =>
      temporary.database
        .session(transaction)
        .query(temporary.database.dialect === 'sqlite' ? sql : sql.replace('?', '$1'), [BigInt(ms)]),
    );
  }

  it('replays the first response for 24 hours, and then does the work again, also of another request', async () => {
    await createRex();
    await age(DAY_MS - 60_000);
    expect((await createRex()).isReplayed).toBe(true);

    await age(60_000);
    const anew = { Location: '/v1/pets/2' };
    expect(await createRex(KEY, 'Mia')).toMatchObject({ response: { headers: anew }, isReplayed: false });
    expect(await createRex(KEY, 'Mia')).toMatchObject({ response: { headers: anew }, isReplayed: true });
  });

  it('goes by the clock of the database, which on SQLite is that of the process', async () => {
    await createRex();
    clock.advance(DAY_MS + 3_600_000);

    const retries = await Promise.all([createRex(), replica().once(KEY, 'Rex', addRex)]);
    const isOfPostgres = temporary.database.dialect === 'postgres';
    if (isOfPostgres) expect(retries.map(({ isReplayed }) => isReplayed)).toEqual([true, true]);
    expect(await petCount()).toBe(isOfPostgres ? 1 : 2);
  });
});
