import { FakeClock } from '@animal-store/kernel/testing';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { expiredResponses } from './expired-responses.js';
import { idempotencyTables } from './idempotency.tables.js';
import { DatabaseIdempotencyStore } from './database-idempotency.store.js';

describe.each(databases)('expiredResponses on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, idempotencyTables);
  let clock: FakeClock;
  let responses: DatabaseIdempotencyStore;
  let expired: ReturnType<typeof expiredResponses>;

  beforeEach(async () => {
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    responses = new DatabaseIdempotencyStore(temporary.database);
    expired = expiredResponses(temporary.database, clock);
  });

  async function storeAt(time: string, value: string): Promise<void> {
    clock.set(time);
    const response = { fingerprint: 'Rex', status: 201, headers: {}, body: '{}' };
    await temporary.database.run((transaction) =>
      responses.save({ caller: 'key-1', value }, response, clock.now(), transaction),
    );
  }

  const removeSome = (limit: number, createdAt?: bigint) =>
    temporary.database.run((transaction) =>
      expired.removeSome(createdAt === undefined ? null : { createdAt }, limit, transaction),
    );

  async function keysLeft(): Promise<string[]> {
    const sql = 'SELECT idempotency_key AS key FROM idempotency_records ORDER BY key';
    return (await temporary.database.query<{ key: string }>(sql)).map(({ key }) => key);
  }

  it('removes only the responses that have expired', async () => {
    await storeAt('2026-03-14T12:00:00.000Z', 'first');
    await storeAt('2026-03-14T18:00:00.000Z', 'later');
    clock.set('2026-03-15T12:00:00.000Z');

    expect(await removeSome(10)).toEqual({ count: 1, end: null });
    expect(await keysLeft()).toEqual(['later']);
  });

  it('removes at most the given number, oldest first, and continues there', async () => {
    for (let hour = 0; hour < 5; hour++) await storeAt(`2026-03-14T1${hour}:00:00.000Z`, `at-1${hour}`);
    clock.set('2026-03-16T12:00:00.000Z');

    const atHour = (hour: number) => BigInt(Date.UTC(2026, 2, 14, hour));
    expect(await removeSome(2)).toEqual({ count: 2, end: { createdAt: atHour(11) } });
    expect(await keysLeft()).toEqual(['at-12', 'at-13', 'at-14']);
    expect(await removeSome(2, atHour(11))).toEqual({ count: 2, end: { createdAt: atHour(13) } });
    expect(await removeSome(1, atHour(13))).toEqual({ count: 1, end: { createdAt: atHour(14) } });
    expect(await removeSome(1, atHour(14))).toEqual({ count: 0, end: null });
  });
});
