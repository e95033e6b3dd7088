import { rmSync } from 'node:fs';
import { TestApp } from '../support/test-app.js';

const REX = { name: 'Rex', categoryId: 7 };

describe('When the SQLite file is deleted under the server', () => {
  let store: TestApp;
  let key: string;

  beforeEach(async () => {
    store = await TestApp.start();
    key = await store.key();
    await store.send('POST', '/v1/pets', key).send(REX).expect(201);
    await store.send('GET', '/v1/pets', key).expect(200);
    rmSync(store.databaseFile);
  });

  afterEach(() => store.stop());

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
