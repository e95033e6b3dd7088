import { FakeClock } from '@animal-store/kernel/testing';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { idempotencyTables } from './idempotency.tables.js';
import { DatabaseIdempotencyStore, RemoveExpiredResponses } from './database-idempotency.store.js';

describe.each(databases)('The removal of expired responses on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, idempotencyTables);
  let clock: FakeClock;
  let responses: DatabaseIdempotencyStore;

  beforeEach(async () => {
    // PostgreSQL has its own.
    clock = new FakeClock(new Date().toISOString());
    responses = new DatabaseIdempotencyStore(temporary.database, clock);
  });

  async function store(hoursAgo: number, value: string): Promise<void> {
    const createdAtMs = clock.now() - hoursAgo * 3_600_000;
    const response = { fingerprint: 'Rex', status: 201, headers: {}, body: '{}', createdAtMs };
    await temporary.database.run((transaction) =>
      responses.save({ caller: 'zoo', value }, response, transaction),
    );
  }

  async function keysLeft(): Promise<string[]> {
    await new RemoveExpiredResponses(temporary.database, clock).run(null, new AbortController().signal);
    const sql = 'SELECT idempotency_key AS key FROM idempotency_records ORDER BY key';
    return (await temporary.database.query<{ key: string }>(sql)).map(({ key }) => key);
  }

  it('takes only the responses that have expired', async () => {
    await store(24, 'first');
    await store(23, 'later');

    expect(await keysLeft()).toEqual(['later']);
  });

  it('goes by the clock of the database, which on SQLite is that of the process', async () => {
    await store(0, 'now');
    clock.advance(25 * 3_600_000);

    expect(await keysLeft()).toEqual(temporary.database.dialect === 'postgres' ? ['now'] : []);
  });
});
