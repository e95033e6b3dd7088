import { databases, temporaryPostgresOptions } from '@animal-store/database/testing';
import { KennelsModule } from '../examples/kennels/kennels.module.js';
import { kennelsTables } from '../examples/kennels/kennels.tables.js';
import { readApi } from '../fuzz/api-document.js';
import { problemsOf } from '../fuzz/response-check.js';
import { Wire } from '../fuzz/wire.js';
import { TestApp } from '../support/test-app.js';

// As a team adds them to the lists, which also have a scope that a key must name.
jest.mock('../../src/contexts.js', () => {
  const actual = jest.requireActual<{ tables: readonly object[]; scopes: readonly object[] }>(
    '../../src/contexts.js',
  );
  return {
    ...actual,
    get tables() {
      return [...actual.tables, kennelsTables];
    },
    get scopes() {
      return [...actual.scopes, { name: 'reviews:moderate', explicit: true }];
    },
  };
});

describe.each(databases)('A module with @InjectRepository on %s', (name) => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    const isPostgres = name === 'PostgreSQL';
    const environment = isPostgres ? { DATABASE_URL: (await temporaryPostgresOptions()).url } : {};
    store = await TestApp.startWith(KennelsModule, environment);
    key = await store.key();
    for (const kennel of ['North', 'South', 'West']) await add(kennel).expect(201);
  });

  afterAll(() => store.stop());

  const add = (kennel: string) => store.send('POST', '/v1/kennels', key).send({ name: kennel, places: 2 });
  const list = async () => (await store.send('GET', '/v1/kennels', key).expect(200)).body as unknown;

  it('201, 200: stores and lists', async () => {
    expect(await list()).toMatchObject([
      { id: 1, name: 'North', places: 2, builtAt: expect.stringMatching(/^\d{4}-.+Z$/) as string },
      { id: 2, name: 'South' },
      { id: 3, name: 'West' },
    ]);
  });

  it('200: lists those that the query wants, with the header of its interceptor', async () => {
    const { headers } = await store.send('GET', '/v1/kennels?places=3', key).expect(200, []);
    expect(headers['x-total']).toBe('0');
  });

  it('409: refuses a name that is taken', async () => {
    expect((await add('North').expect(409)).body).toMatchObject({ message: 'North is there already.' });
  });

  it('201: merges two in one unit of work, and none when the other one is missing', async () => {
    await store.send('POST', '/v1/kennels/2/merge/7', key).expect(404);
    await store.send('POST', '/v1/kennels/2/merge/3', key).expect(201);

    expect(await list()).toMatchObject([{ id: 1 }, { id: 3, places: 4 }]);
  });

  it.each(['3000000000', '9007199254740991'])('404: has no kennel %s, beyond its column', async (id) => {
    await store.send('POST', `/v1/kennels/${id}/merge/1`, key).expect(404);
  });

  it('is documented by the decorators of @nestjs/swagger alone', async () => {
    const { text, body } = await store.send('GET', '/openapi.json', null);
    const kennel = { id: 1, name: 'x', places: 1, builtAt: '2027-01-31T09:30:00.000Z' };
    const json = (example: object) => ({ content: { 'application/json': { example } } });
    const QUERY = '`invalid_parameter`: A parameter is unknown';
    const conflict = { code: 'conflict', status: 409 };
    const examples = { conflict: { summary: 'The name is taken.', value: conflict } };
    expect(body).toMatchObject({
      paths: {
        '/kennels': {
          get: {
            operationId: 'kennelsFindAll',
            responses: { 200: json([kennel]), 304: {}, 400: { description: expect.stringContaining(QUERY) } },
          },
          post: {
            operationId: 'kennelsCreate',
            responses: { 201: json(kennel), 409: { content: { 'application/json': { examples } } } },
          },
        },
        '/kennels/{id}/merge/{into}': {
          post: { parameters: [{ schema: { type: 'integer' } }, { schema: { type: 'integer' } }] },
        },
      },
    });

    const wire = new Wire(store.port);
    const operations = readApi(text);
    const problems = async (id: string, path: string, sent: string | null, more: [string, string][] = []) => {
      const operation = operations.find((one) => one.id === id)!;
      const headers: [string, string][] = [
        ['Authorization', `Bearer ${key}`],
        ['Content-Type', 'application/json'],
      ];
      const request = {
        operation,
        method: operation.method,
        path: `/v1/kennels${path}`,
        headers: [...headers, ...more],
        body: sent === null ? null : Buffer.from(sent),
        expectation: 'either' as const,
      };
      const response = await wire.send(request);
      return [response.status, ...problemsOf(request, response)];
    };
    expect([
      await problems('kennelsFindAll', '', null),
      await problems('kennelsFindAll', '', null, [['If-None-Match', '*']]),
      await problems('kennelsCreate', '', '{"name":"East","places":2}'),
      await problems('kennelsCreate', '', '{"name":"East","places":2}'),
      await problems('kennelsMerge', '/1/merge/9', null),
    ]).toEqual([[200], [304], [201], [409], [404]]);
    wire.close();
  });
});
