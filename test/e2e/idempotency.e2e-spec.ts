import type { Test } from 'supertest';
import { ListKeys } from '../../src/access/application/list-keys.use-case.js';
import { TestApp } from '../support/test-app.js';

describe('Idempotency-Key', () => {
  let store: TestApp;
  /** A key of an account of its own for each test, as the tests share a store. */
  let key: string;
  let account: string;
  let accounts = 0;
  /** The number of animals when the test began. The next one has the id after it. */
  let pets: number;

  beforeAll(async () => {
    store = await TestApp.start();
  });

  beforeEach(async () => {
    account = `zoo ${++accounts}`;
    key = await store.key('business', account);
    pets = await count();
  });

  afterAll(() => store.stop());

  function createPet(
    idempotencyKey: string,
    body: object = { name: 'Rex', categoryId: 7 },
    apiKey = key,
  ): Test {
    return store.send('POST', '/v1/pets', apiKey).set('Idempotency-Key', idempotencyKey).send(body);
  }

  function placeOrder(idempotencyKey: string, petId: number): Test {
    return store.send('POST', '/v1/store/orders', key).set('Idempotency-Key', idempotencyKey).send({ petId });
  }

  async function count(): Promise<number> {
    const [row] = await store.database.run((transaction) =>
      store.database.session(transaction).query<{ rows: bigint }>('SELECT count(*) AS rows FROM pets'),
    );
    return Number(row!.rows);
  }

  async function orders(): Promise<object[]> {
    return (await store.send('GET', '/v1/store/orders', key).expect(200)).body as object[];
  }

  it('201: a retry of createPet gets the first response and adds nothing', async () => {
    const first = await createPet('f3b1').expect(201);
    const retry = await createPet('"f3b1"').expect(201);

    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(retry.headers['idempotent-replayed']).toBe('true');
    expect(retry.text).toBe(first.text);
    expect(retry.headers['location']).toBe(`/v1/pets/${pets + 1}`);
    expect(await count()).toBe(pets + 1);
  });

  it('201: a retry of placeOrder gets the first response, even after the order has changed', async () => {
    await createPet('pet');
    const first = await placeOrder('order', pets + 1).expect(201);
    const { location } = first.headers as { location: string };
    await store.send('POST', `${location}/cancel`, key).expect(200);
    const retry = await placeOrder('order', pets + 1).expect(201);

    expect(retry.headers['idempotent-replayed']).toBe('true');
    expect(retry.text).toBe(first.text);
    expect(retry.headers['location']).toBe(location);
    expect(await orders()).toHaveLength(1);
  });

  it.each([
    ['complete', 'cancel', 'completed'],
    ['cancel', 'complete', 'cancelled'],
  ])(
    '200: a retry to %s an order gets the first response instead of a 409',
    async (action, other, status) => {
      await createPet('pet');
      const { location } = (await placeOrder('order', pets + 1)).headers as { location: string };
      const act = (verb: string, idempotencyKey: string) =>
        store.send('POST', `${location}/${verb}`, key).set('Idempotency-Key', idempotencyKey);

      const first = await act(action, 'once').expect(200);
      const retry = await act(action, 'once').expect(200);

      expect(first.body).toMatchObject({ petId: pets + 1, status });
      expect(retry.headers['idempotent-replayed']).toBe('true');
      expect(retry.text).toBe(first.text);
      expect((await act(action, 'twice').expect(409)).body).toMatchObject({ code: 'order_not_open' });
      expect((await act(other, 'once').expect(422)).body).toMatchObject({ code: 'idempotency_key_reused' });
    },
  );

  it('201: a retry gets the response that an earlier version stored', async () => {
    const { keys } = await store.app.get(ListKeys).execute({ account });
    const { id } = keys[0]!.key;
    await store.database.run((transaction) =>
      store.database.session(transaction).query(
        `INSERT INTO idempotency_records (api_key_id, idempotency_key, fingerprint, body, headers, created_at)
         VALUES ($1, 'first-try', '2j1mBSn5d2dv1aqQvzVmKfRqxevXNf8nOfmWhuXF6rM', '{"id":2}', '{"Location":"/v1/pets/2"}', $2)`,
        [id, BigInt(store.clock.now())],
      ),
    );
    const sent = '{"categoryId":-9223372036854775808,"name":"Łucja 🦜","status":"sold"}';
    const retry = await store
      .send('POST', '/v1/pets', key)
      .set({ 'Idempotency-Key': 'first-try', 'Content-Type': 'application/json' })
      .send(sent)
      .expect(201);

    expect(retry.headers['idempotent-replayed']).toBe('true');
    expect(retry.headers['location']).toBe('/v1/pets/2');
    expect(retry.text).toBe('{"id":2}');
  });

  it('201: a refused request can be sent again with its key', async () => {
    await createPet('pet', { name: 'Rex', categoryId: 7, status: 'available' });
    const { location } = (await placeOrder('first', pets + 1).expect(201)).headers as { location: string };
    await placeOrder('second', pets + 1).expect(409);
    await store.send('POST', `${location}/cancel`, key).expect(200);

    const { headers } = await placeOrder('second', pets + 1).expect(201);
    expect(headers['idempotent-replayed']).toBeUndefined();
  });

  it('201: another API key may use the same Idempotency-Key, even in the same account', async () => {
    await createPet('f3b1');
    const response = await createPet(
      'f3b1',
      { name: 'Mia', categoryId: 1 },
      await store.key('free', account),
    );

    expect(response.status).toBe(201);
    expect(response.headers['location']).toBe(`/v1/pets/${pets + 2}`);
  });

  it('422 idempotency_key_reused: refuses the key with another body or another operation', async () => {
    await createPet('f3b1');
    const error = {
      code: 'idempotency_key_reused',
      message: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
      status: 422,
    };

    expect((await createPet('f3b1', { name: 'Mia', categoryId: 7 }).expect(422)).body).toEqual(error);
    expect((await placeOrder('f3b1', pets + 1).expect(422)).body).toEqual(error);
    expect(await count()).toBe(pets + 1);
    expect(await orders()).toEqual([]);
  });

  it('201 for one of many concurrent requests, and 409 idempotency_in_progress or the same 201 for the others', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => createPet('f3b1')));

    for (const { status, body } of responses) {
      expect([status, (body as { code?: string; id?: number }).code ?? (body as { id: number }).id]).toEqual(
        status === 201 ? [201, pets + 1] : [409, 'idempotency_in_progress'],
      );
    }
    expect(await count()).toBe(pets + 1);
  });

  it.each(['[', '{"a":'])('400 invalid_json: refuses a body that nests too deeply, of %s', async (begin) => {
    const levels = Math.floor(16_000 / (begin.length + 1));
    const end = begin === '[' ? ']' : '}';
    const sent = store.send('POST', '/v1/pets', key).set('Idempotency-Key', 'deep');
    const { body } = await sent.type('json').send(`${begin.repeat(levels)}1${end.repeat(levels)}`);

    expect(body).toEqual({
      code: 'invalid_json',
      message: 'The body must be valid JSON: it nests too deeply.',
      status: 400,
    });
  });

  it.each(['""', 'two words', 'caf\u00e9', 'x'.repeat(256)])(
    '400 invalid_parameter: refuses the key %j and adds nothing',
    async (idempotencyKey) => {
      expect((await createPet(idempotencyKey).expect(400)).body).toEqual({
        code: 'invalid_parameter',
        message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.',
        status: 400,
      });
      expect(await count()).toBe(pets);
    },
  );
});
