import { databases, type TemporaryDatabase } from '../database/testing/temporary-database.js';
import type { Reply } from '../http/json-reply.js';
import { created } from '../http/reply.js';
import { petsSchema } from '../pets/infrastructure/pets.schema.js';
import { TypeOrmPetRepository } from '../pets/infrastructure/typeorm-pet.repository.js';
import { aPet } from '../pets/testing/pet.builder.js';
import { FakeClock } from '../shared/testing/fake-clock.js';
import { type Transaction, UnitOfWork } from '../shared/unit-of-work.js';
import { ExpiredAnswers } from './expired-answers.js';
import { Idempotency } from './idempotency.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from './idempotency.errors.js';
import { idempotencySchema } from './idempotency.schema.js';

const KEY = { apiKeyId: 'key-1', value: 'f3b1' };
const REX = { name: 'Rex', categoryId: 9007199254740993n };

describe.each(databases)('Idempotency on %s', (_, open) => {
  let temporary: TemporaryDatabase;
  let clock: FakeClock;
  let pets: TypeOrmPetRepository;
  let idempotency: Idempotency;

  beforeEach(async () => {
    temporary = await open(petsSchema, idempotencySchema);
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    pets = new TypeOrmPetRepository(temporary.database);
    idempotency = replica();
  });

  afterEach(() => temporary.remove());

  function replica(unitOfWork: UnitOfWork = temporary.database): Idempotency {
    return new Idempotency(temporary.database, unitOfWork, clock);
  }

  const addPet = async (transaction: Transaction): Promise<Reply> => {
    const { id, name } = await pets.add(aPet(REX), transaction);
    return created(`/v1/pets/${id}`, { id, name });
  };

  function createRex(key = KEY, input: object = REX): Promise<Reply> {
    return idempotency.once(key, 'createPet', input, addPet);
  }

  async function petCount(): Promise<number> {
    return (await pets.list({}, { limit: 100, after: null })).items.length;
  }

  async function recordCount(): Promise<number> {
    const sql = 'SELECT idempotency_key FROM idempotency_records';
    return (await temporary.database.query(sql)).length;
  }

  it('answers the first request as if it had no key', async () => {
    expect(await createRex()).toEqual({ json: '{"id":1,"name":"Rex"}', headers: { Location: '/v1/pets/1' } });
  });

  it('gives a retry the first answer again, marked, and does nothing else', async () => {
    await createRex();

    expect(await createRex()).toEqual({
      json: '{"id":1,"name":"Rex"}',
      headers: { Location: '/v1/pets/1', 'Idempotent-Replayed': 'true' },
    });
    expect(await petCount()).toBe(1);
  });

  it('gives a retry the first answer after a restart and on another replica too', async () => {
    await createRex();

    const { headers } = await replica().once(KEY, 'createPet', REX, addPet);

    expect(headers['Idempotent-Replayed']).toBe('true');
    expect(await petCount()).toBe(1);
  });

  it('does the work each time without a key, and keeps no answer', async () => {
    await idempotency.once(null, 'createPet', REX, addPet);
    await idempotency.once(null, 'createPet', REX, addPet);

    expect(await petCount()).toBe(2);
    expect(await recordCount()).toBe(0);
  });

  it('refuses a key with another input, down to the last digit', async () => {
    await createRex();

    await expect(createRex(KEY, { ...REX, categoryId: 9007199254740992n })).rejects.toBeInstanceOf(
      IdempotencyKeyReused,
    );
    expect(await petCount()).toBe(1);
  });

  it('refuses a key with another operation', async () => {
    await createRex();

    await expect(idempotency.once(KEY, 'placeOrder', REX, addPet)).rejects.toBeInstanceOf(
      IdempotencyKeyReused,
    );
    expect(await petCount()).toBe(1);
  });

  it('keeps the keys of each API key apart', async () => {
    await createRex({ apiKeyId: 'key-1', value: 'f3b1' });
    const { headers } = await createRex({ apiKeyId: 'key-2', value: 'f3b1' });

    expect(headers).toEqual({ Location: '/v1/pets/2' });
  });

  it('refuses a retry while the first request is still running', async () => {
    const first = createRex();
    const retry = createRex();

    await expect(retry).rejects.toBeInstanceOf(IdempotencyInProgress);
    await expect(first).resolves.toMatchObject({ json: '{"id":1,"name":"Rex"}' });
    expect(await petCount()).toBe(1);
  });

  it('does the work once when many replicas are asked at the same time', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => replica().once(KEY, 'createPet', REX, addPet)),
    );

    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') expect(outcome.value.json).toBe('{"id":1,"name":"Rex"}');
      else expect(outcome.reason).toBeInstanceOf(IdempotencyInProgress);
    }
    expect(await petCount()).toBe(1);
  });

  it('keeps nothing of work that fails, so that the key can be used again', async () => {
    const failing = idempotency.once(KEY, 'createPet', REX, async (transaction) => {
      await addPet(transaction);
      throw new Error('the cat got out');
    });
    await expect(failing).rejects.toThrow('the cat got out');
    expect(await petCount()).toBe(0);

    const { headers } = await createRex();
    expect(headers['Idempotent-Replayed']).toBeUndefined();
    expect(await petCount()).toBe(1);
  });

  it('keeps the animal and the answer together or neither of them', async () => {
    class FailsBeforeCommit extends UnitOfWork {
      protected begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
        return temporary.database.run(async (transaction) => {
          await work(transaction);
          throw new Error('the disk is full');
        });
      }
    }
    const failing = replica(new FailsBeforeCommit()).once(KEY, 'createPet', REX, addPet);

    await expect(failing).rejects.toThrow('the disk is full');
    expect(await petCount()).toBe(0);
    expect(await recordCount()).toBe(0);
  });

  it('gives the first answer for 24 hours and does the work anew after that', async () => {
    await createRex();
    clock.set('2026-03-15T11:59:59.999Z');
    expect((await createRex()).headers['Idempotent-Replayed']).toBe('true');

    clock.set('2026-03-15T12:00:00.000Z');
    expect((await createRex()).headers).toEqual({ Location: '/v1/pets/2' });
    expect((await createRex()).headers).toEqual({ Location: '/v1/pets/2', 'Idempotent-Replayed': 'true' });
  });

  it('takes a key for another request once its answer is no longer given', async () => {
    await createRex();
    clock.set('2026-03-15T12:00:00.000Z');

    const { headers } = await createRex(KEY, { name: 'Mia', categoryId: 1n });

    expect(headers).toEqual({ Location: '/v1/pets/2' });
  });

  it('forgets the answers that are no longer given, and only those', async () => {
    await createRex();
    clock.set('2026-03-14T18:00:00.000Z');
    await createRex({ apiKeyId: 'key-1', value: 'later' });
    clock.set('2026-03-15T12:00:00.000Z');

    const expired = new ExpiredAnswers(temporary.database, clock);
    const removed = await temporary.database.run((transaction) => expired.removeSome(10, transaction));

    expect(removed).toEqual({ count: 1, isEnd: true });
    expect(await recordCount()).toBe(1);
    expect((await createRex({ apiKeyId: 'key-1', value: 'later' })).headers['Idempotent-Replayed']).toBe(
      'true',
    );
  });

  it('forgets no more at a time than it is told, the oldest first, and goes on from there', async () => {
    for (let hour = 0; hour < 5; hour++) {
      clock.set(`2026-03-14T1${hour}:00:00.000Z`);
      await createRex({ apiKeyId: 'key-1', value: `at-1${hour}` });
    }
    clock.set('2026-03-16T12:00:00.000Z');
    const expired = new ExpiredAnswers(temporary.database, clock);
    const step = () => temporary.database.run((transaction) => expired.removeSome(2, transaction));

    expect(await step()).toEqual({ count: 2, isEnd: false });
    const left = 'SELECT idempotency_key AS key FROM idempotency_records ORDER BY key';
    expect(await temporary.database.query(left)).toEqual([
      { key: 'at-12' },
      { key: 'at-13' },
      { key: 'at-14' },
    ]);
    expect(await step()).toEqual({ count: 2, isEnd: false });
    expect(await step()).toEqual({ count: 1, isEnd: true });
    expect(await step()).toEqual({ count: 0, isEnd: true });
  });
});
