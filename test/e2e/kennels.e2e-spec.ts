import { databases, temporaryPostgresOptions } from '@animal-store/database/testing';
import { KennelsModule } from '../examples/kennels/kennels.module.js';
import { kennelsTables } from '../examples/kennels/kennels.tables.js';
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

  it('409: refuses a name that is taken', async () => {
    expect((await add('North').expect(409)).body).toMatchObject({ message: 'North is there already.' });
  });

  it('201: merges two in one unit of work, and none when the other one is missing', async () => {
    await store.send('POST', '/v1/kennels/2/merge/7', key).expect(404);
    await store.send('POST', '/v1/kennels/2/merge/3', key).expect(201);

    expect(await list()).toMatchObject([{ id: 1 }, { id: 3, places: 4 }]);
  });
});
