import {
  animalStore,
  type AnimalStore,
  type AnimalStoreOptions,
  type Deprecation,
} from '../../clients/typescript/src/index.js';
import { TestApp } from '../support/test-app.js';

type Send = NonNullable<AnimalStoreOptions['fetch']>;

describe('The TypeScript client, against a running service', () => {
  let service: TestApp;
  let baseUrl: string;
  /** How long each wait was. */
  let waitsMs: number[];

  beforeAll(async () => {
    service = await TestApp.start({ PRO_PER_DAY: '1' });
    baseUrl = `${await service.app.getUrl()}/v1`;
  });

  beforeEach(() => {
    waitsMs = [];
  });

  afterAll(() => service.stop());

  /** A client on a key of its own, whose waits take no time but move the clock. */
  async function client(
    options: Partial<AnimalStoreOptions> = {},
    plan: 'free' | 'pro' | 'business' = 'business',
  ): Promise<AnimalStore> {
    return animalStore({
      baseUrl,
      apiKey: await service.key(plan),
      random: () => 0.5,
      sleep: async (ms) => {
        waitsMs.push(ms);
        service.clock.advance(ms);
      },
      onDeprecated: () => undefined,
      ...options,
    });
  }

  /** Sends requests on, and loses the answers to the first ones. */
  function losingAnswers(count: number): Send {
    let lost = 0;
    return async (...request) => {
      const response = await fetch(...request);
      if (lost++ < count) throw new TypeError('fetch failed');
      return response;
    };
  }

  const answering =
    (...responses: Response[]): Send =>
    async () =>
      responses.shift()!;

  it('takes and gives int64s as exact bigints', async () => {
    const store = await client();
    const rex = await store.createPet({ name: 'Rex', categoryId: -9223372036854775808n, status: 'sold' });

    expect(rex).toEqual({ id: rex.id, name: 'Rex', categoryId: -9223372036854775808n, status: 'sold' });
    expect(typeof rex.id).toBe('bigint');
    expect(await store.getPet({ petId: rex.id })).toEqual(rex);
    expect(await store.listPets({ status: 'sold', limit: 100 })).toContainEqual(rex);
  });

  it('takes orders through their life', async () => {
    const store = await client();
    const { id: petId } = await store.createPet({ name: 'Tom', categoryId: 7n });
    const { id: orderId } = await store.placeOrder({ petId });

    expect(await store.getOrder({ orderId })).toMatchObject({ petId, status: 'placed' });
    expect(await store.completeOrder({ orderId })).toMatchObject({ status: 'completed' });
    expect(await store.listOrders()).toMatchObject([{ id: orderId, status: 'completed' }]);
  });

  it('walks through a list page by page, with the filter it was given', async () => {
    const store = await client();
    for (const name of ['Ada', 'Bea', 'Cid']) {
      await store.createPet({ name, categoryId: 1n, status: 'pending' });
    }
    await store.createPet({ name: 'Dan', categoryId: 1n, status: 'sold' });

    const pages: string[][] = [];
    for await (const page of store.pages('listPets', { status: 'pending', limit: 2 })) {
      pages.push(page.map(({ name }) => name));
    }
    expect(pages.at(0)).toHaveLength(2);
    expect(pages.flat().slice(-3)).toEqual(['Ada', 'Bea', 'Cid']);
    expect(pages.flat()).not.toContain('Dan');
  });

  it('fetches no page that nobody asks for', async () => {
    const sent: string[] = [];
    const store = await client({
      fetch: (url, init) => {
        sent.push(url.href);
        return fetch(url, init);
      },
    });
    for (const name of ['Eva', 'Flo']) await store.createPet({ name, categoryId: 1n });
    sent.length = 0;
    for await (const page of store.pages('listPets', { limit: 1 })) {
      expect(page).toHaveLength(1);
      break;
    }
    expect(sent).toEqual([`${baseUrl}/pets?limit=1`]);
  });

  it('gives the key to nobody but the service, wherever a link points', async () => {
    const sent: string[] = [];
    const first = new Response('[]', {
      headers: { Link: '<https://elsewhere.example/v1/pets?cursor=abc>; rel="next"' },
    });
    const answers = answering(first, new Response('[]'));
    const store = await client({
      fetch: (url, init) => {
        sent.push(url.href);
        return answers(url, init);
      },
    });
    for await (const page of store.pages('listPets')) expect(page).toEqual([]);

    expect(sent).toEqual([`${baseUrl}/pets`, `${baseUrl}/pets?cursor=abc`]);
  });

  it('throws what the service says when it refuses', async () => {
    const store = await client();

    await expect(store.getPet({ petId: 9223372036854775807n })).rejects.toMatchObject({
      name: 'StoreError',
      status: 404,
      code: 'pet_not_found',
      message: 'No animal has id 9223372036854775807.',
      requestId: expect.stringMatching(/^[\w-]+$/) as string,
      retryAfterMs: null,
    });
    expect(waitsMs).toEqual([]);
  });

  it('says what came back when something else than the service answered', async () => {
    const gateway = new Response('<h1>Oops</h1>', { status: 502, statusText: 'Bad Gateway' });
    const store = await client({ fetch: answering(gateway), retries: 0 });

    await expect(store.listPets()).rejects.toMatchObject({
      status: 502,
      code: 'unknown',
      message: '502 Bad Gateway',
      requestId: null,
    });
  });

  it('waits for as long as a 429 asks, and a little more, then goes on', async () => {
    const store = await client({}, 'free');
    for (let sent = 0; sent < 60; sent++) await store.listPets({ limit: 1 });
    expect(waitsMs).toEqual([]);

    expect(await store.listPets({ limit: 1 })).toHaveLength(1);
    expect(waitsMs).toEqual([60_125]);
  });

  it('does not wait for tomorrow', async () => {
    const store = await client({}, 'pro');
    await store.listPets();

    await expect(store.listPets()).rejects.toMatchObject({ status: 429, code: 'daily_quota_exceeded' });
    expect(waitsMs).toEqual([]);
  });

  it('sends a creation again under the same key when the answer is lost, and creates once', async () => {
    const store = await client({ fetch: losingAnswers(2) });
    const gus = await store.createPet({ name: 'Gus', categoryId: 77n });

    const names = (await store.listPets({ limit: 100 })).filter(({ categoryId }) => categoryId === 77n);
    expect(names).toEqual([gus]);
    expect(waitsMs).toEqual([125, 250]);
  });

  it('sends the Idempotency-Key it is given', async () => {
    const store = await client();
    const once = await store.createPet({ name: 'Hal', categoryId: 7n }, { idempotencyKey: 'hal' });

    expect(await store.createPet({ name: 'Hal', categoryId: 7n }, { idempotencyKey: 'hal' })).toEqual(once);
    await expect(
      store.createPet({ name: 'Ida', categoryId: 7n }, { idempotencyKey: 'hal' }),
    ).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('does not repeat by itself what must not happen twice', async () => {
    const sure = await client();
    const { id: petId } = await sure.createPet({ name: 'Jo', categoryId: 7n });
    const { id: orderId } = await sure.placeOrder({ petId });
    const store = await client({ fetch: losingAnswers(1) });

    await expect(store.cancelOrder({ orderId })).rejects.toThrow('fetch failed');
    expect(waitsMs).toEqual([]);
  });

  it('waits twice as long each time, up to a bound, and gives up with the last failure', async () => {
    const store = await client({ fetch: losingAnswers(99), retries: 6, longestWaitMs: 1_500 });

    await expect(store.listPets()).rejects.toThrow('fetch failed');
    expect(waitsMs).toEqual([125, 250, 500, 750, 750, 750]);
  });

  it('asks again while the first request with the same key is still running', async () => {
    const running = new Response('{"code":"idempotency_in_progress","message":"…","status":409}', {
      status: 409,
    });
    const done = new Response('{"id":1,"name":"Kim","categoryId":7}', { status: 201 });
    const store = await client({ fetch: answering(running, done) });

    expect(await store.createPet({ name: 'Kim', categoryId: 7n })).toMatchObject({ id: 1n });
    expect(waitsMs).toEqual([125]);
  });

  it('stops waiting when it is told to', async () => {
    const controller = new AbortController();
    const full = new Response('{}', { status: 429, headers: { 'Retry-After': '60' } });
    const store = await client({
      sleep: undefined,
      fetch: async () => {
        queueMicrotask(() => controller.abort(new Error('Never mind.')));
        return full;
      },
    });

    await expect(store.listPets({}, { signal: controller.signal })).rejects.toThrow('Never mind.');
  });

  it('tells once of a deprecated operation that is called', async () => {
    const told: Deprecation[] = [];
    const store = await client({ onDeprecated: (deprecation) => told.push(deprecation) });
    const { id: petId } = await store.createPet({ name: 'Leo', categoryId: 7n });
    await store.getPet({ petId });
    await store.getPet({ petId });

    expect(told).toEqual([
      {
        operation: 'getPet',
        sunset: new Date('2030-12-05T00:00:00.000Z'),
        successor: '/v1/pets?status=available',
      },
    ]);
  });

  it('tells the console of it when nobody else wants to know', async () => {
    const warn = jest.spyOn(console, 'warn').mockReturnValue();
    const store = await client({ onDeprecated: undefined });
    await expect(store.getPet({ petId: 999n })).rejects.toThrow();

    expect(warn.mock.calls).toEqual([
      ['getPet is deprecated and will be removed on 2030-12-05. Use /v1/pets?status=available instead.'],
    ]);
    warn.mockRestore();
  });

  it('lets the compiler refuse what the service would', () => {
    const misuse = (store: AnimalStore) => [
      // @ts-expect-error An int64 is a bigint.
      store.createPet({ name: 'Rex', categoryId: 7 }),
      // @ts-expect-error categoryId is required.
      store.createPet({ name: 'Rex' }),
      // @ts-expect-error There is no such status.
      store.listPets({ status: 'lost' }),
      // @ts-expect-error Not a list.
      store.pages('getPet', { petId: 1n }),
    ];
    expect(misuse).toBeDefined();
  });
});
