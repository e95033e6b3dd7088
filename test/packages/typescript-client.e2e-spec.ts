import type * as Client from '../../clients/typescript/src/index.js';
import type {
  AnimalStore,
  AnimalStoreOptions,
  Deprecation,
  ErrorCode,
  ResponseInfo,
} from '../../clients/typescript/src/index.js';
import { TestApp } from '../support/test-app.js';
import { INSTALL_WITHIN_MS, PackedClient } from './packed-client.js';

type Send = NonNullable<AnimalStoreOptions['fetch']>;

let packed: PackedClient;
let animalStore: typeof Client.animalStore;
let toJson: typeof Client.toJson;
/** The length of each wait. */
let waitsMs: number[];

beforeAll(async () => {
  packed = await PackedClient.make();
  const project = await packed.project('app', {});
  ({ animalStore, toJson } = project.require('animal-store-client') as typeof Client);
}, INSTALL_WITHIN_MS);

beforeEach(() => {
  waitsMs = [];
});

afterAll(() => packed?.remove());

const responding =
  (...responses: Response[]): Send =>
  async () =>
    responses.shift()!;

// Without the service, whose own timers would be counted too.
describe('The TypeScript client, installed from its tarball, when no response comes', () => {
  const client = (options: Partial<AnimalStoreOptions>): AnimalStore =>
    animalStore({
      baseUrl: 'http://localhost/v1',
      apiKey: 'ask_live_any',
      random: () => 0.5,
      sleep: async (ms) => void waitsMs.push(ms),
      ...options,
    });

  /** Never responds. Its requests can only be aborted. */
  const silent: Send = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason as Error));
    });

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends a try after 30 seconds, and the call after the last try', async () => {
    const store = client({ fetch: jest.fn(silent), retries: 1 });
    const failure = store.listPets().catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(29_999);
    expect(waitsMs).toEqual([]);

    await jest.advanceTimersByTimeAsync(1);
    expect(waitsMs).toEqual([125]);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(await failure).toMatchObject({
      name: 'TimeoutError',
      message: 'No response came within 30000 ms.',
    });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('prefers the timeoutMs of the call to that of the client', async () => {
    const store = client({ fetch: silent, retries: 0, timeoutMs: 5_000 });
    const failures = [store.listPets(), store.listPets({}, { timeoutMs: 100 })].map((call) =>
      call.catch(({ message }: Error) => message),
    );
    await jest.advanceTimersByTimeAsync(5_000);

    expect(await Promise.all(failures)).toEqual([
      'No response came within 5000 ms.',
      'No response came within 100 ms.',
    ]);
  });

  it('retries when the body of a response breaks off in time', async () => {
    const halting: Send = async (_, { signal }) =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            signal!.addEventListener('abort', () => controller.error(signal!.reason));
          },
        }),
      );
    const tries = [halting, responding(new Response('[]'))];
    const store = client({ fetch: (url, init) => tries.shift()!(url, init), timeoutMs: 1_000 });
    const pets = store.listPets();
    await jest.advanceTimersByTimeAsync(1_000);

    expect(await pets).toEqual([]);
    expect(waitsMs).toEqual([125]);
  });

  it('waits without a limit when timeoutMs is Infinity', async () => {
    const store = client({ fetch: silent, timeoutMs: Infinity });
    const controller = new AbortController();
    const call = store.listPets({}, { signal: controller.signal });
    expect(jest.getTimerCount()).toBe(0);

    controller.abort(new Error('Never mind.'));
    await expect(call).rejects.toThrow('Never mind.');
    expect(waitsMs).toEqual([]);
  });
});

describe('The TypeScript client, installed from its tarball, against a running service', () => {
  let service: TestApp;
  let baseUrl: string;

  beforeAll(async () => {
    service = await TestApp.start({ PRO_PER_DAY: '1' });
    baseUrl = `${await service.app.getUrl()}/v1`;
  });

  afterAll(() => service?.stop());

  /** A client with a new key. Its waits take no time, but advance the clock. */
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

  /** Sends all requests, but loses the responses to the first `count`. */
  function losingResponses(count: number): Send {
    let lost = 0;
    return async (...request) => {
      const response = await fetch(...request);
      if (lost++ < count) throw new TypeError('fetch failed');
      return response;
    };
  }

  /** A client that notes where it sends its requests. */
  async function recording(send: Send = fetch): Promise<{ store: AnimalStore; sent: string[] }> {
    const sent: string[] = [];
    const store = await client({
      fetch: (url, init) => {
        sent.push(url.href.replace(/cursor=.*/, 'cursor=…'));
        return send(url, init);
      },
    });
    return { store, sent };
  }

  it('sends and returns int64s as exact bigints, and converts results to JSON', async () => {
    const store = await client();
    const rex = await store.createPet({ name: 'Rex', categoryId: -9223372036854775808n, status: 'sold' });

    expect(rex).toEqual({ id: rex.id, name: 'Rex', categoryId: -9223372036854775808n, status: 'sold' });
    expect(typeof rex.id).toBe('bigint');
    expect(await store.getPet({ petId: rex.id })).toEqual(rex);
    expect(await store.listPets({ status: 'sold', limit: 100 })).toContainEqual(rex);
    expect(toJson(rex)).toBe(
      `{"id":${rex.id},"name":"Rex","categoryId":-9223372036854775808,"status":"sold"}`,
    );
  });

  it('iterates over a list page by page with its filter', async () => {
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

  it('sends the key only to the service, wherever a link points', async () => {
    const first = new Response('[]', {
      headers: { Link: '<https://elsewhere.example/v1/pets?cursor=abc>; rel="next"' },
    });
    const { store, sent } = await recording(responding(first, new Response('[]')));
    for await (const page of store.pages('listPets')) expect(page).toEqual([]);

    expect(sent).toEqual([`${baseUrl}/pets`, `${baseUrl}/pets?cursor=…`]);
  });

  it('throws the error of the service when it refuses', async () => {
    const store = await client();

    await expect(store.getPet({ petId: 9223372036854775807n })).rejects.toMatchObject({
      name: 'PetNotFound',
      status: 404,
      code: 'pet_not_found',
      message: 'No animal has id 9223372036854775807.',
      requestId: expect.stringMatching(/^[\w-]+$/) as string,
      retryAfterMs: null,
    });
    expect(waitsMs).toEqual([]);
  });

  it('waits as long as the Retry-After of a 429, and a little longer, then retries', async () => {
    const store = await client({}, 'free');
    for (let sent = 0; sent < 60; sent++) await store.listPets({ limit: 1 });
    expect(waitsMs).toEqual([]);

    expect(await store.listPets({ limit: 1 })).toHaveLength(1);
    expect(waitsMs).toEqual([60_125]);
  });

  it('does not wait until the next day', async () => {
    const store = await client({}, 'pro');
    await store.listPets();

    await expect(store.listPets()).rejects.toMatchObject({ status: 429, code: 'daily_quota_exceeded' });
    expect(waitsMs).toEqual([]);
  });

  it('repeats a creation with the same Idempotency-Key when the response is lost, and creates once', async () => {
    const store = await client({ fetch: losingResponses(2) });
    const gus = await store.createPet({ name: 'Gus', categoryId: 77n });

    const names = (await store.listPets({ limit: 100 })).filter(({ categoryId }) => categoryId === 77n);
    expect(names).toEqual([gus]);
    expect(waitsMs).toEqual([125, 250]);
  });

  it('repeats a change whose response was lost, and gets that response', async () => {
    let send: Send = fetch;
    const store = await client({ fetch: (...request) => send(...request) });
    const { id: petId } = await store.createPet({ name: 'Jo', categoryId: 7n });
    const { id: orderId } = await store.placeOrder({ petId });
    send = losingResponses(1);

    expect(await store.cancelOrder({ orderId })).toMatchObject({ id: orderId, status: 'cancelled' });
    expect(waitsMs).toEqual([125]);
  });

  it('waits twice as long each time, up to a maximum, and throws the last failure', async () => {
    const store = await client({ fetch: losingResponses(99), retries: 6, longestWaitMs: 1_500 });

    await expect(store.listPets()).rejects.toThrow('fetch failed');
    expect(waitsMs).toEqual([125, 250, 500, 750, 750, 750]);
  });

  it('retries while the first request with the same Idempotency-Key is still running', async () => {
    const running = new Response('{"code":"idempotency_in_progress","message":"…","status":409}', {
      status: 409,
    });
    const done = new Response('{"id":1,"name":"Kim","categoryId":7}', { status: 201 });
    const store = await client({ fetch: responding(running, done) });

    expect(await store.createPet({ name: 'Kim', categoryId: 7n })).toMatchObject({ id: 1n });
    expect(waitsMs).toEqual([125]);
  });

  it('stops waiting when its signal fires, and then sends nothing', async () => {
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
    const send = jest.fn<Promise<Response>, []>();
    const silent = await client({ fetch: send });
    await expect(silent.listPets({}, { signal: controller.signal })).rejects.toThrow('Never mind.');
    expect(send).not.toHaveBeenCalled();
  });

  it('reports a deprecated operation once', async () => {
    const deprecations: Deprecation[] = [];
    const store = await client({ onDeprecated: (deprecation) => deprecations.push(deprecation) });
    const { id: petId } = await store.createPet({ name: 'Leo', categoryId: 7n });
    await store.getPet({ petId });
    await store.getPet({ petId });

    expect(deprecations).toEqual([
      {
        operation: 'getPet',
        sunset: new Date('2030-12-05T00:00:00.000Z'),
        successor: '/v1/pets',
        documentation: '/docs/deprecations',
      },
    ]);
  });

  it('warns on the console by default when an operation is deprecated', async () => {
    const warn = jest.spyOn(console, 'warn').mockReturnValue();
    const store = await client({ onDeprecated: undefined });
    await expect(store.getPet({ petId: 999n })).rejects.toThrow();

    expect(warn.mock.calls).toEqual([
      [
        'getPet is deprecated and will be removed on 2030-12-05. Use /v1/pets instead. See /docs/deprecations.',
      ],
    ]);
    warn.mockRestore();
  });

  it('has types that refuse invalid calls', () => {
    const misuse = (store: AnimalStore) => [
      // @ts-expect-error An int64 is a bigint or a number.
      store.createPet({ name: 'Rex', categoryId: '7' }),
      // @ts-expect-error An animal's id is a bigint.
      store.getPet({ petId: 1n }).then((pet): number => pet.id),
      // @ts-expect-error categoryId is required.
      store.createPet({ name: 'Rex' }),
      // @ts-expect-error There is no such status.
      store.listPets({ status: 'lost' }),
      // @ts-expect-error Not a list.
      store.pages('getPet', { petId: 1n }),
      // @ts-expect-error Not a list.
      store.items('createPet'),
    ];
    // @ts-expect-error No response has this code.
    const misspelled: ErrorCode = 'pet_not_fuond';
    expect([misuse, misspelled]).toBeDefined();
  });

  it('accepts a number for an int64 if it is exact, and sends nothing when it may have been rounded', async () => {
    const send = jest.fn(fetch);
    const store = await client({ fetch: send });
    const rex = await store.createPet({ name: 'Rex', categoryId: Number.MAX_SAFE_INTEGER });
    expect(await store.getPet({ petId: Number(rex.id) })).toEqual({ ...rex, categoryId: 9007199254740991n });

    await expect(store.createPet({ name: 'Rex', categoryId: 2 ** 53 })).rejects.toThrow(
      new RangeError(
        'categoryId must be a bigint beyond 2^53, where numbers are rounded: write 9007199254740993n instead of 9007199254740992.',
      ),
    );
    await expect(store.placeOrder({ petId: 1.5 })).rejects.toThrow(
      new TypeError('petId must be a whole number, not 1.5.'),
    );
    await expect(store.getPet({} as { petId: bigint })).rejects.toThrow('petId is required.');
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('iterates over the animals of a list, in pages as large as they can be', async () => {
    const { store, sent } = await recording();
    const present = await store.listPets({ status: 'pending', limit: 100 });
    for (let added = present.length; added < 101; added++) {
      await store.createPet({ name: `Pup ${added}`, categoryId: 1, status: 'pending' });
    }
    sent.length = 0;

    const names: string[] = [];
    for await (const { name } of store.items('listPets', { status: 'pending' })) names.push(name);
    expect(names).toHaveLength(101);
    expect(names.at(-1)).toBe('Pup 100');
    const page = `${baseUrl}/pets?limit=100&status=pending`;
    expect(sent).toEqual([page, `${page}&cursor=…`]);
  });

  it('reports the limits with every response', async () => {
    const infos: ResponseInfo[] = [];
    const store = await client({ onResponse: (info) => infos.push(info) }, 'free');
    await store.listPets();
    const ofThisCall: ResponseInfo[] = [];
    const missing = store.getPet({ petId: 999_999 }, { onResponse: (info) => ofThisCall.push(info) });

    await expect(missing).rejects.toMatchObject({ limits: { limit: 60, remaining: 58 } });
    expect(infos).toEqual([
      {
        operation: 'listPets',
        method: 'GET',
        url: `${baseUrl}/pets`,
        headers: expect.any(Headers) as Headers,
        status: 200,
        durationMs: expect.any(Number) as number,
        requestId: expect.stringMatching(/^[\w-]+$/) as string,
        limits: { limit: 60, remaining: 59, resetAt: expect.any(Date) as Date },
        retry: 0,
      },
      { ...ofThisCall[0]! },
    ]);
    expect(ofThisCall).toMatchObject([{ operation: 'getPet', status: 404, limits: { remaining: 58 } }]);
  });

  it.each(['onRequest', 'onResponse', 'apiKey'])('does not retry when %s throws', async (name) => {
    const send = jest.fn(responding(new Response('[]')));
    const store = await client({
      fetch: send,
      [name]: () => {
        throw new Error('No room for more.');
      },
    });

    await expect(store.listPets()).rejects.toThrow('No room for more.');
    expect(send).toHaveBeenCalledTimes(name === 'onResponse' ? 1 : 0);
  });

  const TIMEOUT = /^timeoutMs must be from 1 to 2147483647, or Infinity for no time-out\.$/;
  const API_KEY = /^apiKey must be an API key: visible ASCII characters, at least one\.$/;

  it.each<[Partial<AnimalStoreOptions>, RegExp]>([
    ...[0, -1, NaN, 2 ** 31].map((timeoutMs): [object, RegExp] => [{ timeoutMs }, TIMEOUT]),
    ...[undefined, '', 'ask_live_secret\n', 'ask_live_sécret'].map((apiKey): [object, RegExp] => [
      { apiKey },
      API_KEY,
    ]),
  ])('refuses the options %j, and shows no key', async (options, message) => {
    await expect(client(options)).rejects.toThrow(message);
    const { timeoutMs } = options;
    if (timeoutMs !== undefined)
      await expect((await client()).listPets({}, { timeoutMs })).rejects.toThrow(message);
  });
});
