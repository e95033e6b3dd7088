import { rmSync } from 'node:fs';
import { StorageUnavailable } from '@animal-store/kernel';
import { TestApp } from '../support/test-app.js';

const REX = { name: 'Rex', categoryId: 7 };

describe('While the database is down', () => {
  let store: TestApp;

  beforeAll(async () => (store = await TestApp.start()));
  // The address has its requests of a minute again.
  beforeEach(() => store.clock.advance(120_000));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => store.stop());

  async function outage(): Promise<void> {
    jest.spyOn(store.database, 'query').mockRejectedValue(new StorageUnavailable(new Error('gone')));
    // Cached keys are used for only five seconds without a successful poll of changes.
    store.clock.advance(6_000);
  }

  it('503: every request with a cached key, which still counts against that key', async () => {
    const key = await store.key('business');
    await store.send('GET', '/v1/pets', key).expect(200);
    await outage();
    for (let count = 0; count < 70; count++) {
      const response = await store.send('GET', '/v1/pets', key).expect(503);
      expect(response.headers['x-ratelimit-limit']).toBe('1000');
      expect(response.headers['retry-after']).toBe('5');
    }
  });

  it('503: every request with another key, which is not counted', async () => {
    const key = await store.key('business');
    await outage();
    for (let count = 0; count < 61; count++) {
      const response = await store.send('GET', '/v1/pets', key).expect(503);
      expect(response.headers).toMatchObject({
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '60',
        'retry-after': '5',
      });
    }
    jest.restoreAllMocks();
    await store.send('GET', '/v1/pets', key).expect(200);
    const response = await store.send('GET', '/v1/pets', null).expect(401);
    expect(response.headers['x-ratelimit-remaining']).toBe('59');
  });

  it('429: requests without a key, past the limit of their address', async () => {
    await outage();
    for (let count = 0; count < 60; count++) await store.send('GET', '/v1/pets', null).expect(401);
    await store.send('GET', '/v1/pets', null).expect(429);
  });

  it('503: readiness, without internal details', async () => {
    await outage();
    const response = await store.send('GET', '/health/ready', null).expect(503);
    expect(response.body).toEqual({
      code: 'service_unavailable',
      message: 'The database does not respond.',
      status: 503,
    });
  });

  it('200: at once when the database is back', async () => {
    const key = await store.key('business');
    await outage();
    await store.send('GET', '/v1/pets', key).expect(503);
    jest.restoreAllMocks();
    await store.send('GET', '/v1/pets', key).expect(200);
  });
});

describe('When the SQLite file is deleted under the server', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.start();
    key = await store.key();
    await store.send('POST', '/v1/pets', key).send(REX).expect(201);
    await store.send('GET', '/v1/pets', key).expect(200);
    rmSync(store.databaseFile);
  });

  afterAll(() => store.stop());

  it('503: additions, which would be lost', async () => {
    const response = await store.send('POST', '/v1/pets', key).send(REX).expect(503);

    expect(response.headers['retry-after']).toBe('5');
    expect(response.body).toMatchObject({ code: 'service_unavailable', status: 503 });
  });

  it('503: readiness and every later read, with one line in the log', async () => {
    await store.send('GET', '/health/ready', null).expect(503);

    await store.send('GET', '/v1/pets', key).expect(503);
    await store.send('GET', '/v1/pets?limit=7', key).expect(503);
    await store.send('GET', '/health/ready', null).expect(503);
    const lines = store.logLines.filter((line) => line.includes(`${store.databaseFile} was deleted while`));
    expect(lines).toHaveLength(1);
  });
});
