import { IncomingMessage } from 'node:http';
import SqliteConnection, { type Statement } from 'better-sqlite3';
import { RepeatedTask } from '@animal-store/kernel';
import { exchange } from '@animal-store/web/testing';
import { TestApp } from '../support/test-app.js';

/** Commands, and queries about SQLite itself. */
const NO_TABLE = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA)| FROM sqlite_sequence /i;

/**
 * Counts the work of a request exactly. A superfluous statement or a hydrated entity fails here long before a benchmark
 * shows it.
 */
describe('The work of a request', () => {
  /** The first two words of each, and their whole texts. */
  const statements: string[] = [];
  const texts = new Set<string>();
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    const prototype = Object.getPrototypeOf(
      new SqliteConnection(':memory:').prepare('SELECT 1'),
    ) as Statement;
    for (const method of ['all', 'run', 'get'] as const) {
      const original = prototype[method];
      jest.spyOn(prototype, method).mockImplementation(function (this: Statement, ...values: unknown[]) {
        statements.push(this.source.split(/\s/, 2).join(' '));
        texts.add(this.source);
        return original.apply(this, values);
      });
    }
    // What runs in the background is not part of a request, whoever runs it.
    jest.spyOn(RepeatedTask.prototype, 'start').mockReturnValue();
    store = await TestApp.start();
    key = await store.key('business');
    for (let count = 0; count < 3; count++) await add();
    await get('/v1/pets');
  });

  beforeEach(() => {
    statements.length = 0;
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await store.stop();
  });

  function get(path: string) {
    return store.send('GET', path, key).expect(200);
  }

  function add(idempotencyKey?: string) {
    const request = store.send('POST', '/v1/pets', key).set('Content-Type', 'application/json');
    if (idempotencyKey) request.set('Idempotency-Key', idempotencyKey);
    return request.send('{"name":"Rex","categoryId":7}').expect(201);
  }

  it('is no statement for a cached first page with a cached key', async () => {
    await get('/v1/pets');
    await get('/v1/pets?limit=20');

    expect(statements).toEqual([]);
  });

  it('is one statement for any other page', async () => {
    const { headers } = await get('/v1/pets?limit=1');
    const next = /<([^>]+)>/.exec(headers['link']!)![1]!;
    statements.length = 0;

    await get(next);

    expect(statements).toEqual(['SELECT "pet"."id"']);
  });

  it('is one statement for one animal', async () => {
    await get('/v1/pets/1');

    expect(statements).toEqual(['SELECT "pet"."id"']);
  });

  it('is one insert in a transaction for a single new animal', async () => {
    await add();

    expect(statements).toEqual(['BEGIN IMMEDIATE', 'INSERT INTO', 'COMMIT']);
  });

  it('is one more look-up and one more insert with an Idempotency-Key', async () => {
    await add('once');

    expect(statements.filter((sql) => /^(SELECT|INSERT|UPDATE)/.test(sql))).toEqual([
      'SELECT "record"."fingerprint"',
      'INSERT INTO',
      'INSERT INTO',
    ]);
  });

  it('is one commit for all animals that are added in one turn of the event loop', async () => {
    await store.database.run(() => Promise.resolve());
    statements.length = 0;
    // A batch ends after some milliseconds, which a busy machine may take for so many.
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now());

    await Promise.all(Array.from({ length: 50 }, () => store.database.run(() => Promise.resolve())));

    now.mockRestore();
    expect(statements.filter((sql) => !/^(SAVEPOINT|RELEASE)/.test(sql))).toEqual([
      'BEGIN IMMEDIATE',
      'COMMIT',
    ]);
  });

  it('does not wait for a body that arrived with its head', async () => {
    const on = jest.spyOn(IncomingMessage.prototype, 'on');
    // In one write, which a client library may divide.
    const body = '{"name":"Rex","categoryId":7}';
    const head = ['Host: store', `Authorization: Bearer ${key}`, 'Content-Type: application/json'];
    const length = [`Content-Length: ${body.length}`, 'Connection: close'];
    const sent = ['POST /v1/pets HTTP/1.1', ...head, ...length, '', body].join('\r\n');
    const [response] = await exchange(store.port, sent);
    expect(response!.status).toBe(201);
    const isOfServer = ({ method }: IncomingMessage) => method === 'POST';
    const waits = on.mock.calls.filter(
      ([event], call) => event === 'data' && isOfServer(on.mock.contexts[call] as IncomingMessage),
    );
    on.mockRestore();

    expect(waits).toEqual([]);
  });

  it('is one look-up of a key for all its requests', async () => {
    const another = await store.key('pro');
    await get('/v1/pets');
    statements.length = 0;

    for (let count = 0; count < 3; count++) await store.send('GET', '/v1/pets', another).expect(200);

    expect(statements).toHaveLength(1);
  });

  it('is no look-up for a malformed key', async () => {
    await store.send('GET', '/v1/pets', 'ask_live_0000000000000000000000000000000000000x').expect(401);

    expect(statements).toEqual([]);
  });

  it('is in statements that are all listed', async () => {
    const post = (path: string, body: object, idempotencyKey: string) =>
      store.send('POST', path, key).set('Idempotency-Key', idempotencyKey).send(body);
    texts.clear();
    await post('/v1/pets', { name: 'Rex', categoryId: 7 }, 'one').expect(201);
    await post('/v1/pets', { name: 'Mia', categoryId: 7 }, 'two').expect(201);
    const { headers } = await post('/v1/store/orders', { petId: 1 }, 'three').expect(201);
    await post(`${headers['location']}/complete`, {}, 'four').expect(200);
    for (const path of [
      '/v1/pets?limit=1',
      '/v1/pets?status=sold',
      '/v1/store/orders?status=placed',
      '/v1/pets/1',
    ])
      await store.send('GET', path, key).expect(200);

    const listed = new Set(store.statements.all);
    const unlisted = [...texts].filter((sql) => !NO_TABLE.test(sql) && !listed.has(sql));
    expect(texts.size).toBeGreaterThan(10);
    expect(unlisted).toEqual([]);
  });
});
