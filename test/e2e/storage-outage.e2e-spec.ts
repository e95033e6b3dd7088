import { StorageUnavailable } from '@animal-store/kernel';
import { TestApp } from '../support/test-app.js';

describe('While the database is down', () => {
  let store: TestApp;

  beforeAll(async () => (store = await TestApp.start()));
  // The address has its requests of a minute again.
  beforeEach(() => store.clock.advance(120_000));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => store.stop());

  async function outage(): Promise<void> {
    for (const database of [store.database, store.database.background])
      jest.spyOn(database, 'query').mockRejectedValue(new StorageUnavailable(new Error('gone')));
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
});
