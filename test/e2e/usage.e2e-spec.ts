import SqliteConnection, { type Statement } from 'better-sqlite3';
import { ApiKeyStore } from '@animal-store/api-keys';
import { Database } from '@animal-store/database';
import { DAY_MS } from '@animal-store/kernel';
import { StoreKeyIssuer } from '../../src/access/application/key-issuer.service.js';
import { GetUsage } from '../../src/access/application/usage/get-usage.use-case.js';
import { DeprecatedCallRepository } from '../../src/access/domain/deprecated-calls.js';
import { DeprecatedCallCounter } from '../../src/access/infrastructure/deprecated-calls/deprecated-call.counter.js';
import { TestApp } from '../support/test-app.js';

describe('GET /v1/usage', () => {
  let store: TestApp;
  let accounts = 0;

  beforeAll(async () => (store = await TestApp.start()));
  afterAll(() => store.stop());

  const newAccount = () => `account ${++accounts}`;
  const usage = async (key: string) => (await store.send('GET', '/v1/usage', key).expect(200)).body;

  it('says what nobody has used, without a minute that is running', async () => {
    const { key, text } = await store.app.get(StoreKeyIssuer).issue({ name: 'till', plan: 'free' });
    expect(await usage(text)).toEqual({
      keyId: key.id,
      plan: 'free',
      minute: { limit: 60, used: 0, left: 60, resetsAt: null },
      day: { limit: 1_000, used: 0, left: 1_000, resetsAt: '2026-03-15T00:00:00.000Z' },
      deprecatedCalls: [],
    });
  });

  it('counts nothing, however often it is requested', async () => {
    const key = await store.key('free');
    for (let count = 0; count < 100; count++) await usage(key);
    await store.send('GET', '/v1/pets', key).expect('X-RateLimit-Remaining', '59');
    expect((await usage(key)).day.used).toBe(1);
  });

  it('says what all keys of the account have used, by the plan of the acting key', async () => {
    const account = newAccount();
    const [free, pro] = [await store.key('free', account), await store.key('pro', account)];
    for (const key of [free, pro, pro]) await store.send('GET', '/v1/pets', key).expect(200);
    expect((await usage(free)).minute).toEqual({
      limit: 60,
      used: 3,
      left: 57,
      resetsAt: '2026-03-14T12:01:00.000Z',
    });
    expect(await usage(pro)).toMatchObject({
      plan: 'pro',
      minute: { used: 3, left: 297 },
      day: { left: 9_997 },
    });
  });

  it('works for a key with any scope', async () => {
    await usage(await store.key('free', newAccount(), ['webhooks:read']));
  });

  it('responds during a ban, with its end and its reason', async () => {
    const key = await store.limitedKey(1, 1_000);
    for (let count = 0; count < 22; count++) await store.send('GET', '/v1/unknown', key);
    await store.send('GET', '/v1/pets', key).expect(429);
    expect(await usage(key)).toMatchObject({
      minute: { left: 0 },
      ban: {
        since: '2026-03-14T12:00:00.000Z',
        until: '2026-03-14T12:01:00.000Z',
        reason: '20 requests were refused within a minute.',
      },
    });
  });

  it('has its own limit, beyond which it is refused and the rest is not', async () => {
    const key = await store.key('free');
    const { headers } = await store.send('GET', '/v1/usage', key).expect(200);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '599' });
    for (let count = 1; count < 600; count++) await usage(key);
    await store.send('GET', '/v1/usage', key).expect(429);
    await store.send('GET', '/v1/pets', key).expect(200);
  });

  it('lets nobody guess keys faster than elsewhere', async () => {
    const { headers } = await store.send('GET', '/v1/usage', null).expect(401);
    expect(headers['x-ratelimit-limit']).toBe('60');
  });

  it('has the calls of deprecated operations of the account of the last 30 days', async () => {
    const account = newAccount();
    const { key, text } = await store.app.get(StoreKeyIssuer).issue({ name: 'old', plan: 'free', account });
    for (let count = 0; count < 2; count++) await store.send('GET', '/v1/pets/1', text).expect(404);
    await store.app.get(DeprecatedCallCounter).beforeApplicationShutdown();
    const other = await store.key('free', account);
    const calls = [{ operation: 'getPet', keyIds: [key.id], calls: 2, lastDay: '2026-03-14' }];
    expect((await usage(other)).deprecatedCalls).toEqual(calls);
    expect((await usage(await store.key('free'))).deprecatedCalls).toEqual([]);
    store.clock.advance(30 * DAY_MS);
    expect((await usage(other)).deprecatedCalls).toEqual([]);
  });

  it('reads the calls of deprecated operations of an account once a minute at most, however many keys have called', async () => {
    const [first, second] = [newAccount(), newAccount()];
    const ofAccount = jest.spyOn(store.app.get(DeprecatedCallRepository), 'ofAccount');
    const keys = [
      await store.key('free', first),
      await store.key('free', first),
      await store.key('free', second),
    ];
    for (const key of [...keys, ...keys]) await usage(key);
    expect(ofAccount.mock.calls.map(([account]) => account)).toEqual([first, second]);
    store.clock.advance(60_000);
    await usage(keys[0]!);
    expect(ofAccount).toHaveBeenCalledTimes(3);
    const third = newAccount();
    await Promise.all(['key_1', 'key_2'].map((keyId) => store.app.get(GetUsage).execute(keyId, third)));
    expect(ofAccount).toHaveBeenCalledTimes(4);
    ofAccount.mockRestore();
  });

  it('reads no keys, so 100,000 old ones of an account cost nothing', async () => {
    const account = newAccount();
    const [key, other] = [await store.key('free', account), await store.key('free')];
    const database = store.app.get(Database);
    await database.run((transaction) =>
      database.session(transaction)
        .query(`WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 100000)
          INSERT INTO api_keys (id, hash, name, account, plan, created_at, revoked_at)
          SELECT 'key_old_' || number, 'hash of ' || number, 'old', '${account}', 'free', 0, 1 FROM numbers`),
    );
    for (const caller of [key, other]) await usage(caller);
    store.clock.advance(60_000);
    const statement = Object.getPrototypeOf(
      new SqliteConnection(':memory:').prepare('SELECT 1'),
    ) as Statement;
    const { all } = statement;
    const sent: { sql: string; rows: number }[] = [];
    jest.spyOn(statement, 'all').mockImplementation(function (this: Statement, ...values) {
      const rows = all.apply(this, values);
      sent.push({ sql: this.source, rows: rows.length });
      return rows;
    });
    const statementsOf = async (caller: string) => {
      await usage(caller);
      return sent.splice(0).filter(({ sql }) => !/"(jobs|pets|events|webhook\w*)"/.test(sql));
    };
    const ofMany = await statementsOf(key);
    expect(ofMany.map(({ sql }) => sql)).toContainEqual(expect.stringContaining('"deprecated_calls"'));
    expect(ofMany.every(({ rows }) => rows < 2)).toBe(true);
    expect(await statementsOf(other)).toEqual(ofMany);
    jest.restoreAllMocks();
  });

  it('knows its caller as every other operation does', async () => {
    jest.spyOn(store.app.get(ApiKeyStore), 'findByHash').mockRejectedValueOnce(new Error('planted'));
    await store.send('GET', '/v1/usage', await store.key('free')).expect(500);
  });
});
