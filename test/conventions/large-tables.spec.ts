import { setImmediate } from 'node:timers/promises';
import SqliteConnection, { type Database as Connection, type Statement } from 'better-sqlite3';
import pg from 'pg';
import { toJson } from '@animal-store/kernel';
import { debianPostgres, groupedSql, PostgresServer } from '@animal-store/database/testing';
import { JobWorker } from '@animal-store/jobs';
import { OutgoingClient } from '@animal-store/web/outgoing';
import {
  type ContextRequests,
  type LargeTables,
  requestOf,
  requestsOfContexts,
  type SentRequest,
} from '../e2e/requests/context-requests.js';
import { TestApp } from '../support/test-app.js';

const ROWS = 5_000;
/** Rows that a statement may read in vain for each group of arguments. PostgreSQL rounds the rows of each loop. */
const IN_VAIN = 10;

const INDEX_CURE =
  'Give the columns of its filters, then its sort, then the id an index; PostgreSQL leaves it alone when the rows of `large` have few ' +
  'values in its first column. Or except it with the reason: docs/statements.md.';
const REFUSED_CURE = '`before` makes what a list needs, such as its parent.';
const SEND_CURE = 'Send it in `large` of the requests, or except it: docs/statements.md.';

/** A failure shows no more statements than these, so that its cure is seen. */
const MAX_SHOWN = 5;

/** @throws Error when there is one */
function expectNone(statements: readonly string[], cure: string): void {
  if (statements.length === 0) return;
  const shown = statements
    .slice(0, MAX_SHOWN)
    .map((sql) => `- ${sql.replace(/SELECT .*?(?= FROM )/gs, '…').replace(/ SET .*?(?= WHERE )/s, ' …')}`);
  const more = statements.length - shown.length;
  throw new Error([...shown, ...(more > 0 ? [`and ${more} more`] : []), cure].join('\n'));
}

function expectCheap(wasteful: readonly (Sent & Cost & Cause)[]): void {
  const statements = wasteful.map(
    ({ request, sql, values, read, returned, matching, plan }) =>
      `${request}: ${sql} reads ${read} rows to return ${returned}; ${matching} match ${toJson(values)}\n` +
      plan.map((step) => `    ${step}`).join('\n'),
  );
  expectNone(statements, INDEX_CURE);
}

function expectAllLists(sent: readonly Sent[], { large }: LargeContext): void {
  const requests = new Set(sent.map(({ request }) => request));
  expect(large.lists.filter((list) => !requests.has(list))).toEqual([]);
}

/** A first page reads only the rows that it returns. */
const IS_FIRST_PAGE = /^SELECT (?!.* WHERE ).* LIMIT (\d+|CAST\(\? AS INTEGER\))$/;

/** A statement that a request runs, on a table of a context. */
interface Sent {
  /** Of reads that are grouped, the last one. */
  readonly request: string;
  readonly sql: string;
  readonly values: readonly unknown[];
}

interface Cost {
  readonly read: number;
  readonly returned: number;
}

/** Why it reads so many: the wrong index, or rows of which hardly any match. */
interface Cause {
  readonly plan: readonly string[];
  /** How many rows it would return without a limit. */
  readonly matching: number;
}

type LargeContext = ContextRequests & { readonly large: LargeTables };

const CONTEXTS = requestsOfContexts().filter((entry): entry is [string, LargeContext] => !!entry[1].large);

function tableOf({ large }: LargeContext): string {
  return /INSERT INTO (\w+)/.exec(large.rows('ids', ROWS))![1]!;
}

interface Answer {
  /** The status and the code of an error. */
  readonly refusal: string | undefined;
  /** Where the next page is. */
  readonly next: string | undefined;
}

/** A store with large tables, and the requests of one context. */
class LargeStore {
  /** The last one that was sent. */
  request = '';

  private constructor(
    readonly app: TestApp,
    private readonly key: string,
    readonly context: LargeContext,
  ) {}

  /**
   * @param fill runs SQL on the database of the store, behind its back
   * @param prepare does so while the tables are empty
   */
  static async start(
    context: LargeContext,
    environment: NodeJS.ProcessEnv,
    fill: (app: TestApp) => Promise<void>,
    prepare: (app: TestApp) => Promise<void> = () => Promise.resolve(),
  ): Promise<LargeStore> {
    const app = await TestApp.start(environment);
    try {
      await prepare(app);
      const store = new LargeStore(app, await app.key('business', 'zoo'), context);
      for (const line of context.before) await store.send(requestOf(line));
      await fill(app);
      return store;
    } catch (error) {
      // Else the process would not end.
      await app.stop();
      throw error;
    }
  }

  async send({ method = 'GET', path, headers = {}, body }: SentRequest): Promise<Answer> {
    this.request = `${method} ${path}`;
    const sent = this.app.send(method, path, this.key).set(headers);
    const response = await (body === undefined
      ? sent
      : sent.set({ 'Content-Type': 'application/json', ...headers }).send(body));
    if (response.status >= 500)
      throw new Error(`${method} ${path}: ${response.status}\n${this.app.logLines.at(-1)}`);
    const { code } = response.body as { code?: string };
    return {
      refusal: code && `${response.status} ${code}`,
      next: /<([^>]+)>; rel="next"/.exec(response.headers['link'] ?? '')?.[1],
    };
  }

  async sendList(line: LargeTables['lists'][number]): Promise<void> {
    const { refusal, next } = await this.send(requestOf(line));
    if (refusal) throw new Error(`${line}: ${refusal}. ${REFUSED_CURE}`);
    if (next) await this.send({ path: next });
  }

  /** Sends the requests of every operation, and of lists the second page, then runs the jobs that they cause. */
  async sendAll(): Promise<void> {
    const { operations, large } = this.context;
    for (const line of large.lists) await this.sendList(line);
    for (const [id, { request, other }] of Object.entries(operations)) {
      await this.send(requestOf(request));
      if (other) await this.send({ ...requestOf(other), headers: { 'Idempotency-Key': `once-${id}` } });
    }
    // What jobs send to others is not sent.
    const outgoing = jest
      .spyOn(OutgoingClient.prototype, 'send')
      .mockResolvedValue({ status: 204, retryAfterMs: null, beginning: '' });
    this.request = 'a job';
    await this.app.app
      .get(JobWorker)
      .runDue()
      .finally(() => outgoing.mockRestore());
  }

  /** The statements that read more rows than they return, but those that are excepted. */
  async wasteful(
    sent: readonly Sent[],
    costOf: (one: Sent) => Promise<Cost>,
    causeOf: (one: Sent) => Promise<Cause>,
  ): Promise<(Sent & Cost & Cause)[]> {
    const { statements } = this.app;
    const judged = new Set(statements.judged);
    const excepted = statements.all.filter((sql) => !judged.has(sql));
    const grouped = excepted.map((sql) => `(${sql.replace(/\$(\d+)/g, 'given.a$1')}) AS one OFFSET`);
    const isExcepted = (sql: string) => excepted.includes(sql) || grouped.some((text) => sql.includes(text));
    const found: (Sent & Cost & Cause)[] = [];
    for (const one of sent.filter(({ sql }) => !isExcepted(sql))) {
      const cost = await costOf(one);
      // Each of several values may have the whole page.
      const parts = one.sql.split(' UNION ALL ').length;
      const [first] = one.values;
      const groups = one.sql.includes(' LATERAL ') && Array.isArray(first) ? first.length : 1;
      if (cost.read > cost.returned * parts + groups * IN_VAIN)
        found.push({ ...one, ...cost, ...(await causeOf(one)) });
    }
    return found;
  }
}

/** The judged statements that no request has run. */
function unmeasured(store: LargeStore, measured: ReadonlySet<string>): string[] {
  return store.app.statements.judged.filter((sql) => !measured.has(sql));
}

describe('On large, skewed tables of SQLite', () => {
  const measured = new Set<string>();
  const started = new Map<LargeContext, { store: LargeStore; file: Connection }>();
  /** The store of the context that is measured, and a connection to its file. */
  let store: LargeStore;
  let file: Connection;
  let seen = 0;

  /** Makes the store of a context the one that is measured. Only the first test of the context starts it. */
  async function use(context: LargeContext): Promise<void> {
    if (!started.has(context)) started.set(context, await start(context));
    ({ store, file } = started.get(context)!);
  }

  async function start(context: LargeContext): Promise<{ store: LargeStore; file: Connection }> {
    let file: Connection;
    const store = await LargeStore.start(context, {}, async ({ databaseFile }) => {
      file = new SqliteConnection(databaseFile);
      file.defaultSafeIntegers(true);
      file.function('seen', { varargs: true }, () => ++seen);
      const ids = `(WITH RECURSIVE one(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM one WHERE id < ${ROWS}) SELECT id FROM one)`;
      file.exec(context.large.rows(ids, ROWS));
      file.exec(`ANALYZE ${tableOf(context)}`);
    });
    return { store, file: file! };
  }

  afterEach(() => jest.restoreAllMocks());

  afterAll(async () => {
    for (const { store, file } of started.values()) {
      file.close();
      await store.app.stop();
    }
  });

  /** The statements that requests run meanwhile. */
  async function sentBy(requests: () => Promise<void>): Promise<Sent[]> {
    const sent: Sent[] = [];
    const prototype = Object.getPrototypeOf(file.prepare('SELECT 1')) as Statement;
    for (const name of ['all', 'run'] as const) {
      const original = prototype[name] as (...values: unknown[]) => never;
      jest.spyOn(prototype, name).mockImplementation(function (this: Statement, ...values: unknown[]) {
        sent.push({ request: store.request, sql: this.source, values });
        return original.apply(this, values);
      });
    }
    await requests();
    jest.restoreAllMocks();
    return sent.filter(
      ({ sql }) => new RegExp(`"${tableOf(store.context)}"`).test(sql) && !sql.startsWith('INSERT'),
    );
  }

  /** Counts the rows with a condition that is checked before all others, for each row that an index leads to. */
  async function costOf({ sql, values }: Sent): Promise<Cost> {
    const withWhere = / WHERE /.test(sql) ? sql : sql.replace(/(?= ORDER BY | LIMIT )/, ' WHERE TRUE');
    const counting = file.prepare(withWhere.replace(/ WHERE /g, ' WHERE seen(rowid) AND '));
    seen = 0;
    file.exec('SAVEPOINT judged');
    const returned = counting.reader ? counting.all(...values).length : counting.run(...values).changes;
    file.exec('ROLLBACK TO judged; RELEASE judged');
    return { read: seen, returned };
  }

  async function causeOf({ sql, values }: Sent): Promise<Cause> {
    const plan = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
    const unlimited = file.prepare(
      sql.replace(/ LIMIT (\d+|\?|CAST\(\? AS INTEGER\))/g, ` LIMIT max($1, ${ROWS})`),
    );
    const matching = unlimited.reader
      ? unlimited.all(...values).length
      : (await costOf({ request: '', sql, values })).returned;
    return { plan: plan.map(({ detail }) => detail), matching };
  }

  it.each(CONTEXTS)('the requests of %s read hardly more rows than they return', async (_, context) => {
    await use(context);
    const sent = await sentBy(() => store.sendAll());
    for (const { sql } of sent) measured.add(sql);

    expectAllLists(sent, context);
    expectCheap(await store.wasteful(sent, costOf, causeOf));
  });

  it('no other statement reads a whole table or sorts its rows: send it above, or except it', async () => {
    await use(CONTEXTS[0]![1]);
    const wasteful = unmeasured(store, measured).filter((sql) => {
      const values = (sql.match(/\?/g) ?? []).map(() => null);
      const plan = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
      const steps = plan.map(({ detail }) => detail);
      const subqueries = steps.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(step)?.[1] ?? []);
      // A subquery is planned in its own steps, and a list of values is no table, nor is what a recursion has found.
      const none = ['next_keys', 'CONSTANT ROW', ...subqueries].join('|');
      const isScan = new RegExp(`^SCAN (?!(${none})$|\\(subquery-|\\w+ VIRTUAL TABLE)`);
      return steps.some(
        (step) => (isScan.test(step) && !IS_FIRST_PAGE.test(sql)) || /TEMP B-TREE/.test(step),
      );
    });

    expectNone(wasteful, SEND_CURE);
  });

  it('a statement that reads in vain is found', async () => {
    await use(CONTEXTS[0]![1]);
    const sql = `SELECT "id" FROM "${tableOf(store.context)}" WHERE "id" % 1000 = ? LIMIT 3`;

    expect(await store.wasteful([{ request: '', sql, values: [500n] }], costOf, causeOf)).toMatchObject([
      { returned: 3, matching: 5, plan: [expect.stringContaining('SCAN') as string] },
    ]);
  });

  it('a list that is refused is named, with the reason', async () => {
    await use(CONTEXTS[0]![1]);

    await expect(store.sendList('GET /v1/nowhere')).rejects.toThrow(
      /^GET \/v1\/nowhere: 404 \w+\. `before` makes what a list needs, such as its parent\.$/,
    );
  });
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Index Cond'?: string;
  readonly 'TID Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

/** Nodes that pass rows on one by one, so that a limit above them ends what is below. */
const PASSES_ON = /^(Limit|LockRows|Nested Loop|Subquery Scan|Result|(Merge )?Append)$/;

/** Whether it reads all rows of a table, also by way of an index. A first page reads only the rows that it returns. */
function readsWholeTable(plan: Plan, isLimited = false): boolean {
  const { 'Node Type': type, 'Relation Name': table, Plans: parts = [], Filter: filter } = plan;
  const isScan = table !== undefined && / Scan$/.test(type) && type !== 'Bitmap Heap Scan';
  const isBounded = plan['Index Cond'] ?? plan['TID Cond'] ?? (isLimited && filter === undefined);
  if (isScan && (type === 'Seq Scan' || !isBounded)) return true;
  const arePartsLimited = type === 'Limit' || (isLimited && PASSES_ON.test(type));
  return parts.some((part) => readsWholeTable(part, arePartsLimited));
}

const suite = debianPostgres() === null ? describe.skip : describe;

/** First responses, of keys of which one sends requests. None is expired by the clock of PostgreSQL. */
const FILL_RESPONSES = `INSERT INTO idempotency_records (api_key_id, idempotency_key, fingerprint, body, headers, created_at)
  SELECT (SELECT id FROM api_keys LIMIT 1), 'once-' || id, 'Rex', '{}', '{}', CAST(extract(epoch FROM now()) * 1000 AS bigint) - id % 1000
  FROM generate_series(1, ${ROWS}) AS id`;

/**
 * What PostgreSQL knows of its tables. It plans a statement once on a connection, and again when it has analysed a
 * table. So the plans of a table that was empty, or had few rows, are used while it grows.
 */
const STATISTICS = [
  { known: 'are known', whileEmpty: null },
  { known: 'were never known', whileEmpty: 'SELECT' },
  { known: 'say that they are empty', whileEmpty: 'VACUUM ANALYZE' },
] as const;

interface Started {
  readonly store: LargeStore;
  readonly client: pg.Client;
  readonly planned: Map<string, string>;
}

/** One for all statistics: each store has a database of its own, a copy of this one, which has its tables. */
const TEMPLATE = 'template_store';
let server: Promise<PostgresServer> | undefined;
let stores = 0;

async function startServer(): Promise<PostgresServer> {
  const started = await PostgresServer.start(false, debianPostgres()!);
  // It would analyse the tables at any moment.
  await asAdmin(started, 'ALTER SYSTEM SET autovacuum = off');
  await asAdmin(started, 'SELECT pg_reload_conf()');
  await asAdmin(started, `CREATE DATABASE ${TEMPLATE}`);
  await (await TestApp.start({ DATABASE_URL: urlOf(started, TEMPLATE) })).stop();
  return started;
}

function urlOf({ url }: PostgresServer, database: string): string {
  return url.replace(/postgres$/, database);
}

async function asAdmin({ url }: PostgresServer, sql: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(sql).finally(() => admin.end());
}

afterAll(async () => (await server)?.stop());

suite.each(STATISTICS)('On large, skewed tables of PostgreSQL whose sizes $known', ({ whileEmpty }) => {
  const measured = new Set<string>();
  let postgres: PostgresServer;
  const started = new Map<LargeContext, Started>();
  let store: LargeStore;
  let client: pg.Client;
  /** The names of the statements that `client` has prepared and planned, by their texts. */
  let planned: Map<string, string>;

  beforeAll(async () => {
    postgres = await (server ??= startServer());
  });

  afterEach(() => jest.restoreAllMocks());

  afterAll(async () => {
    for (const { store, client } of started.values()) {
      await client.end();
      await store.app.stop();
    }
  });

  async function use(context: LargeContext): Promise<void> {
    if (!started.has(context)) started.set(context, await start(context));
    ({ store, client, planned } = started.get(context)!);
  }

  async function start(context: LargeContext): Promise<Started> {
    const name = `store_${++stores}`;
    await asAdmin(postgres, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
    const url = urlOf(postgres, name);
    client = new pg.Client({ connectionString: url });
    planned = new Map();
    await client.connect();
    const prepare = async ({ database, statements }: TestApp) => {
      const settings = await database.query<{ name: string; setting: string }>(
        "SELECT name, setting FROM pg_settings WHERE source = 'session'",
      );
      for (const { name, setting } of settings)
        await client.query('SELECT set_config($1, $2, false)', [name, setting]);
      if (whileEmpty === null) return;
      await client.query(whileEmpty);
      for (const sql of statements.all) await planOf(sql);
      for (const sql of await groupedStatements(statements)) await planOf(sql);
    };
    const fill = async () => {
      await client.query(context.large.rows(`generate_series(1, ${ROWS}) AS id`, ROWS));
      await client.query(FILL_RESPONSES);
      if (whileEmpty === null) await client.query('VACUUM ANALYZE');
    };
    return { store: await LargeStore.start(context, { DATABASE_URL: url }, fill, prepare), client, planned };
  }

  async function prepare(sql: string): Promise<string> {
    let name = planned.get(sql);
    if (name === undefined) {
      name = `examined_${planned.size + 1}`;
      await client.query(`PREPARE ${name} AS ${sql}`);
      planned.set(sql, name);
    }
    return name;
  }

  /** The plan, which PostgreSQL makes now unless it has one. */
  async function planOf(sql: string): Promise<Plan> {
    const values = Array.from({ length: new Set(sql.match(/\$\d+/g)).size }, () => 'NULL');
    return explain('FORMAT JSON', call(await prepare(sql), values));
  }

  async function explain(options: string, called: string): Promise<Plan> {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (${options}) EXECUTE ${called}`,
    );
    return rows[0]!['QUERY PLAN'][0].Plan;
  }

  function call(name: string, values: readonly string[]): string {
    return values.length > 0 ? `${name}(${values.join(', ')})` : name;
  }

  /** The statements that requests run meanwhile. */
  async function sentBy(requests: (sent: readonly Sent[]) => Promise<unknown>): Promise<Sent[]> {
    const sent: Sent[] = [];
    const tables = `"(${tableOf(store.context)}|idempotency_records)"`;
    const table = new RegExp(`^\\(?(SELECT|UPDATE|DELETE) .*${tables}`, 's');
    const original = pg.Client.prototype.query as (...values: unknown[]) => never;
    jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...values) {
      const [{ statements = [] }] = values as unknown as [
        { statements?: { named: { sql: string }; values: unknown[] }[] },
      ];
      for (const { named, values } of statements)
        if (table.test(named.sql)) sent.push({ request: store.request, sql: named.sql, values });
      return original.apply(this, values);
    });
    await requests(sent);
    jest.restoreAllMocks();
    return sent;
  }

  /**
   * Reads a list several times at once while the table is locked, until the reads after the first one are grouped. A
   * list of several values of a column never is. On a slow machine requests may come too far apart to be grouped.
   */
  async function sentTogether(paths: readonly string[]): Promise<Sent[]> {
    for (let attempt = 0; attempt < 50; attempt++) {
      const sent = await sentBehindLock(paths);
      if (sent.some(isTogether)) return sent;
    }
    throw new Error(`${paths[0]} is never grouped with others.`);
  }

  function isTogether({ sql }: Sent): boolean {
    return / LATERAL | UNION ALL /.test(sql);
  }

  function sentBehindLock(paths: readonly string[]): Promise<Sent[]> {
    return sentBy(async (sent) => {
      await client.query(`BEGIN; LOCK TABLE ${tableOf(store.context)}`);
      let ended = false;
      const reading = Promise.all(paths.map((path) => store.send({ path }))).finally(() => (ended = true));
      const isSent = () => sent.some(isTogether) || sent.length >= paths.length;
      // Reads that wait for the lock too long are refused.
      while (!ended && !isSent()) await setImmediate();
      await client.query('COMMIT');
      await reading;
    });
  }

  function literal(value: unknown): string {
    if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`;
    return typeof value === 'string' ? pg.escapeLiteral(value) : `${value as bigint}`;
  }

  async function costOf({ sql, values }: Sent): Promise<Cost> {
    const name = await prepare(sql);
    await client.query('BEGIN');
    const plan = await explain('ANALYZE, FORMAT JSON', call(name, values.map(literal)));
    await client.query('ROLLBACK');
    return { read: readBy(plan), returned: plan['Actual Rows'] };
  }

  async function causeOf({ sql, values }: Sent): Promise<Cause> {
    const given = values.map(literal);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (COSTS off) EXECUTE ${call(await prepare(sql), given)}`,
    );
    const unlimited = await prepare(sql.replace(/ LIMIT (\d+|\$\d+)/g, ` LIMIT GREATEST($1, ${ROWS})`));
    await client.query('BEGIN');
    const { rowCount } = await client.query(`EXECUTE ${call(unlimited, given)}`);
    await client.query('ROLLBACK');
    return { plan: rows.map((row) => row['QUERY PLAN']), matching: rowCount ?? 0 };
  }

  function readBy(plan: Plan): number {
    const passed = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
    const own = plan['Relation Name'] === undefined ? 0 : passed * plan['Actual Loops'];
    return (plan.Plans ?? []).reduce((sum, part) => sum + readBy(part), own);
  }

  it.each(CONTEXTS)(
    'the requests of %s read hardly more rows than they return, alone and grouped',
    async (_, context) => {
      await use(context);
      const sent = await sentBy(() => store.sendAll());
      for (const { sql } of sent) measured.add(sql);
      for (const { path } of context.large.lists.map(requestOf)) {
        const withLimit = (limit: number) => `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
        sent.push(...(await sentTogether([5, 6, 7].map(withLimit))));
      }

      expectAllLists(sent, context);
      const hasKeys = Object.values(context.operations).some(({ other }) => other !== undefined);
      expect(sent.some(({ sql }) => sql.includes('"idempotency_records"'))).toBe(hasKeys);
      expectCheap(await store.wasteful(sent, costOf, causeOf));
    },
  );

  /** The texts in which equal reads are grouped. */
  async function groupedStatements({ grouped }: TestApp['statements']): Promise<string[]> {
    const texts: string[] = [];
    for (const statement of grouped) {
      const { rows } = await client.query<{ types: string[] }>(
        'SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = $1',
        [await prepare(statement.sql)],
      );
      const [{ types }] = rows as [{ types: string[] }];
      if (types.length > 0) texts.push(groupedSql(statement, types));
    }
    expect(texts.length).toBeGreaterThan(10);
    return texts;
  }

  it('no other statement reads a whole table, alone or grouped: send it above, or except it', async () => {
    await use(CONTEXTS[0]![1]);
    const statements = [...unmeasured(store, measured), ...(await groupedStatements(store.app.statements))];
    const wasteful: string[] = [];
    for (const sql of statements) if (readsWholeTable(await planOf(sql))) wasteful.push(sql);

    expectNone(wasteful, SEND_CURE);
  });

  it('a statement that reads in vain is found', async () => {
    await use(CONTEXTS[0]![1]);
    const sql = `SELECT "id" FROM "${tableOf(store.context)}" WHERE "id" % 1000 = $1 LIMIT 3`;

    expect(await store.wasteful([{ request: '', sql, values: [500n] }], costOf, causeOf)).toMatchObject([
      { returned: 3, matching: 5 },
    ]);
  });

  it('statements are planned once, by their indexes, and not compiled, on every connection', async () => {
    await use(CONTEXTS[0]![1]);
    const names = ['plan_cache_mode', 'enable_seqscan', 'jit'];
    const settings = `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;
    expect(await store.app.database.query(settings)).toEqual([
      { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' },
    ]);

    const { rows } = await client.query('SELECT reset_val AS jit FROM pg_settings WHERE name = $1', ['jit']);
    expect(rows).toEqual([{ jit: 'on' }]);
  });
});
