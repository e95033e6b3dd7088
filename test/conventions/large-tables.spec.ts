import { setImmediate } from 'node:timers/promises';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { debianPostgres, PostgresServer } from '@animal-store/database/testing';
import { TestApp } from '../support/test-app.js';

const ANIMALS = 200_000;
const ORDERS = 50_000;

/** Nearly all are old and sold. So whoever looks for another one in the order of ids reads the table. */
const addAnimals = (count: number, ids: string) => `INSERT INTO pets (name, category_id, status)
  SELECT 'Rex', 7, CASE WHEN id > ${count - 100} THEN 'available' ELSE 'sold' END FROM ${ids}`;
/** Most are of other accounts, and all but a few are completed. */
const addOrders = (
  count: number,
  ids: string,
) => `INSERT INTO orders (account, pet_id, status, placed_at, updated_at)
  SELECT CASE WHEN id % 10 = 0 THEN 'zoo' ELSE 'other ' || id % 7 END, id,
    CASE WHEN id > ${count - 500} THEN 'cancelled' ELSE 'completed' END, 0, 0 FROM ${ids}`;

const LISTS = [
  '/v1/pets',
  ...['available', 'pending', 'sold'].map((status) => `/v1/pets?status=${status}`),
  '/v1/store/orders',
  ...['placed', 'completed', 'cancelled'].map((status) => `/v1/store/orders?status=${status}`),
  // A common one with rare ones, and two rare ones.
  '/v1/store/orders?status=placed&status=completed&status=cancelled',
  '/v1/store/orders?status=placed&status=cancelled',
];

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const suite = debianPostgres() === null ? describe.skip : describe;

suite('On large, skewed tables of PostgreSQL', () => {
  let server: PostgresServer;
  let store: TestApp;
  let client: pg.Client;
  let key: string;

  beforeAll(async () => {
    server = await PostgresServer.start(false, debianPostgres()!);
    store = await TestApp.start({ DATABASE_URL: server.url });
    key = await store.key('business', 'zoo');
    client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(addAnimals(ANIMALS, `generate_series(1, ${ANIMALS}) AS id`));
    await client.query(addOrders(ORDERS, `generate_series(1, ${ORDERS}) AS id`));
    await client.query('VACUUM ANALYZE');
    // As on the connections of the service.
    await client.query('SET plan_cache_mode = force_generic_plan; SET jit = off');
  }, 120_000);

  afterAll(async () => {
    jest.restoreAllMocks();
    await client.end();
    await store.stop();
    await server.stop();
  });

  /** The statements that lists send. */
  async function sentFor(read: (sentSoFar: () => Sent[]) => Promise<unknown>): Promise<Sent[]> {
    const query = jest.spyOn(pg.Client.prototype, 'query');
    const sentSoFar = () =>
      (query.mock.calls as unknown as [Partial<Sent>][])
        .map(([config]) => config)
        .filter((one): one is Sent => /^SELECT .*"(pets|orders)"/s.test(one.text ?? ''));
    await read(sentSoFar);
    const sent = sentSoFar();
    query.mockRestore();
    return sent;
  }

  /** Reads several lists at once while the tables are locked, until those behind the first one are grouped. */
  function sentTogether(paths: readonly string[]): Promise<Sent[]> {
    return sentFor(async (sentSoFar) => {
      await client.query('BEGIN; LOCK TABLE pets, orders');
      const reading = Promise.all(paths.map((path) => store.send('GET', path, key).expect(200)));
      while (!sentSoFar().some(({ text }) => text.includes('LATERAL'))) await setImmediate();
      await client.query('COMMIT');
      await reading;
    });
  }

  async function nextOf(path: string): Promise<string[]> {
    const response = await store.send('GET', path, key).expect(200);
    return /<([^>]+)>; rel="next"/.exec(response.headers['link'] ?? '')?.slice(1) ?? [];
  }

  function literal(value: unknown): string {
    if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`;
    return typeof value === 'string' ? pg.escapeLiteral(value) : `${value as bigint}`;
  }

  /** How many rows the statement reads, and how many it returns. */
  async function rowsOf({ text, values }: Sent): Promise<{ read: number; returned: number }> {
    await client.query(`PREPARE examined AS ${text}`);
    const run = `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE examined(${values.map(literal).join(', ')})`;
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan; JIT?: unknown }] }>(run);
    await client.query('DEALLOCATE examined');
    const [{ Plan: plan, JIT: jit }] = rows[0]!['QUERY PLAN'];
    expect(jit).toBeUndefined();
    return { read: readBy(plan), returned: plan['Actual Rows'] };
  }

  /** Its plan, without running it. */
  async function planOf({ text, values }: Sent): Promise<Plan> {
    await client.query(`PREPARE examined AS ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE examined(${values.map(literal).join(', ')})`,
    );
    await client.query('DEALLOCATE examined');
    return rows[0]!['QUERY PLAN'][0].Plan;
  }

  function hasScan(plan: Plan): boolean {
    return plan['Node Type'] === 'Seq Scan' || (plan.Plans ?? []).some(hasScan);
  }

  function readBy(plan: Plan): number {
    const passed = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
    const own = plan['Relation Name'] === undefined ? 0 : passed * plan['Actual Loops'];
    return (plan.Plans ?? []).reduce((sum, part) => sum + readBy(part), own);
  }

  it('lists read hardly more rows than they return, for every filter, alone and grouped', async () => {
    const paths = [...LISTS, ...(await Promise.all(LISTS.map(nextOf))).flat()];
    const sent: Sent[] = [];
    for (const path of paths) {
      sent.push(...(await sentFor(() => store.send('GET', path, key).expect(200))));
      const url = new URL(path, 'http://store');
      const withLimit = (limit: number) => {
        url.searchParams.set('limit', `${limit}`);
        return url.pathname + url.search;
      };
      // Several values of a column need a statement of their own.
      if (url.searchParams.getAll('status').length > 1) continue;
      sent.push(...(await sentTogether([5, 6, 7].map(withLimit))));
    }

    const wasteful: object[] = [];
    for (const one of sent) {
      const { read, returned } = await rowsOf(one);
      // Each of several values may have the whole page.
      const parts = one.text.split(' UNION ALL ').length;
      // PostgreSQL rounds the rows of each loop.
      if (read > returned * parts + 10) wasteful.push({ ...one, read, returned });
    }
    expect(wasteful).toEqual([]);
    expect(sent.length).toBeGreaterThan(2 * LISTS.length);
  });

  it('no statement of any operation reads a table from end to end', async () => {
    const query = jest.spyOn(pg.Client.prototype, 'query');
    const post = (path: string, body?: object, headers = {}) =>
      store.send('POST', path, key).set(headers).send(body);
    const animal = { name: 'Rex', categoryId: 7 };
    await post('/v1/pets', animal).expect(201);
    await post('/v1/pets', animal, { 'Idempotency-Key': 'rex' }).expect(201);
    await store.send('GET', `/v1/pets/${ANIMALS}`, key).expect(200);
    for (const [petId, end] of [
      [ANIMALS, 'complete'],
      [ANIMALS - 1, 'cancel'],
    ] as const) {
      const { body } = await post('/v1/store/orders', { petId }).expect(201);
      const order = `/v1/store/orders/${(body as { id: number }).id}`;
      await store.send('GET', order, key).expect(200);
      await post(`${order}/${end}`).expect(200);
    }
    const sent = (query.mock.calls as unknown as [Partial<Sent>][]).map(([config]) => config);
    query.mockRestore();

    const onLargeTables = sent.filter((one): one is Sent => /"(pets|orders)"/.test(one.text ?? ''));
    const verbs = new Set(onLargeTables.map(({ text }) => text.split(' ', 1)[0]));
    expect([...verbs].sort()).toEqual(['INSERT', 'SELECT', 'UPDATE']);
    const scans: string[] = [];
    for (const one of onLargeTables) if (hasScan(await planOf(one))) scans.push(one.text);
    expect(scans).toEqual([]);
  });

  it('statements are planned once, and not compiled, on every connection', async () => {
    const [settings] = await store.database.query(
      "SELECT current_setting('plan_cache_mode') AS plans, current_setting('jit') AS jit",
    );
    expect(settings).toEqual({ plans: 'force_generic_plan', jit: 'off' });

    const { rows } = await client.query<{ jit: string }>(
      'SELECT reset_val AS jit FROM pg_settings WHERE name = $1',
      ['jit'],
    );
    expect(rows).toEqual([{ jit: 'on' }]);
  });
});

describe('On large, skewed tables of SQLite', () => {
  it('lists look for the rows of their filters in an index, also after ANALYZE', async () => {
    const store = await TestApp.start();
    const file = new SqliteConnection(store.databaseFile);
    const ids = (count: number) =>
      `(WITH RECURSIVE one(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM one WHERE id < ${count}) SELECT id FROM one)`;
    file.exec(addAnimals(100_000, ids(100_000)));
    file.exec(addOrders(20_000, ids(20_000)));
    file.exec('ANALYZE');

    const unfiltered: object[] = [];
    for (const sql of store.database.everyStatement()) {
      const filters = Array.from(
        sql.matchAll(/"(?:pet|order)"\."(status|account)" = \?/g),
        ([, name]) => `${name}=?`,
      );
      if (filters.length === 0 || !sql.startsWith('SELECT') || !sql.includes('LIMIT')) continue;
      const values = (sql.match(/\?/g) ?? []).map(() => null);
      const plan = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
      const steps = plan.map(({ detail }) => detail).join('\n');
      if (!filters.every((filter) => steps.includes(filter))) unfiltered.push({ sql, steps });
    }
    file.close();
    await store.stop();

    expect(unfiltered).toEqual([]);
  });
});
