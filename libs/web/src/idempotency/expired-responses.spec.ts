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
    // PostgreSQL has its own.
    clock = new FakeClock(new Date().toISOString());
    responses = new DatabaseIdempotencyStore(temporary.database, clock);
    expired = expiredResponses(temporary.database, clock);
  });

  const ago = (hours: number) => clock.now() - hours * 3_600_000;

  async function store(hoursAgo: number, value: string): Promise<void> {
    const response = { fingerprint: 'Rex', status: 201, headers: {}, body: '{}' };
    await temporary.database.run((transaction) =>
      responses.save({ caller: 'zoo', value }, response, ago(hoursAgo), transaction),
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
    await store(24, 'first');
    await store(23, 'later');

    expect(await removeSome(10)).toEqual({ count: 1, end: null });
    expect(await keysLeft()).toEqual(['later']);
  });

  it('goes by the clock of the database, which on SQLite is that of the process', async () => {
    await store(0, 'now');
    clock.advance(25 * 3_600_000);

    await removeSome(10);
    expect(await keysLeft()).toEqual(temporary.database.dialect === 'postgres' ? ['now'] : []);
  });

  it('removes at most the given number, oldest first, and continues there', async () => {
    for (let hour = 0; hour < 5; hour++) await store(30 - hour, `at-${hour}`);

    const atHour = (hour: number) => BigInt(ago(30 - hour));
    expect(await removeSome(2)).toEqual({ count: 2, end: { createdAt: atHour(1) } });
    expect(await keysLeft()).toEqual(['at-2', 'at-3', 'at-4']);
    expect(await removeSome(2, atHour(1))).toEqual({ count: 2, end: { createdAt: atHour(3) } });
    expect(await removeSome(1, atHour(3))).toEqual({ count: 1, end: { createdAt: atHour(4) } });
    expect(await removeSome(1, atHour(4))).toEqual({ count: 0, end: null });
  });
});
