import { ApiKeyStore, generateApiKey } from '@animal-store/api-keys';
import { exchange, type RawResponse, RawConnection } from '@animal-store/web/testing';
import { StoreKeyIssuer, type RequestedKey } from '../../src/access/application/key-issuer.service.js';
import { LiftBan } from '../../src/access/application/usage/lift-ban.use-case.js';
import { KeyChangesPoller } from '../../src/access/infrastructure/keys/key-changes.poller.js';
import { UNREADABLE } from '../support/hostile-requests.js';
import { TestApp } from '../support/test-app.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('Rate limits', () => {
  let store: TestApp;
  let proxied: TestApp;
  /** The day of the test, as the limits do not follow the clock when it goes back: the tests share two services. */
  let today = Date.parse('2026-03-14');

  beforeAll(async () => {
    store = await TestApp.start();
    proxied = await TestApp.start({ TRUST_PROXY: '1' });
  });

  beforeEach(() => {
    today += 7 * DAY_MS;
    for (const { clock } of [store, proxied]) clock.set(at('12:00:00'));
  });

  afterAll(async () => {
    await store.stop();
    await proxied.stop();
  });

  /** A time of the day of the test, or of another day around it. */
  function at(time: string, days = 0): string {
    return `${new Date(today + days * DAY_MS).toISOString().slice(0, 10)}T${time}Z`;
  }

  /** Sends `count` requests at once over one connection. */
  async function burst(count: number, key: string | null, from?: string, to = store): Promise<RawResponse[]> {
    const connection = await RawConnection.open(to.port);
    const authorization = key === null ? '' : `Authorization: Bearer ${key}\r\n`;
    const forwarded = from === undefined ? '' : `X-Forwarded-For: ${from}\r\n`;
    const request = `GET /v1/pets HTTP/1.1\r\nHost: store\r\n${authorization}${forwarded}\r\n`;
    const responses = await connection.send(request.repeat(count)).until(count);
    connection.close();
    return responses;
  }

  /** The outcome of a request: 200, or the code of the error. */
  function outcome({ status, body }: RawResponse): string {
    return status === 200 ? '200' : (JSON.parse(body) as { code: string }).code;
  }

  /** The number of responses with each outcome, in the order of the first ones. */
  function tally(responses: readonly RawResponse[]): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const response of responses) counts[outcome(response)] = (counts[outcome(response)] ?? 0) + 1;
    return counts;
  }

  async function next(key: string | null, from?: string, to = store): Promise<RawResponse> {
    return (await burst(1, key, from, to))[0]!;
  }

  /** A response in one line: the outcome, the binding window, both windows, and when to retry. */
  function line(response: RawResponse): string {
    const { headers } = response;
    const resetAtMs = Number(headers['x-ratelimit-reset']) * 1_000;
    const day = resetAtMs < today + DAY_MS ? '' : 'tomorrow ';
    const reset = `${day}${new Date(resetAtMs).toISOString().slice(11, 19)}`;
    const binding = `${headers['x-ratelimit-remaining']}/${headers['x-ratelimit-limit']} until ${reset}`;
    const retry = headers['retry-after'];
    return `${outcome(response)}: ${binding}; ${headers['ratelimit']}${retry ? `; retry ${retry}` : ''}`;
  }

  async function issue(input: Omit<RequestedKey, 'name'>): Promise<{ id: string; key: string }> {
    const { key, text } = await store.app.get(StoreKeyIssuer).issue({ name: 'test', ...input });
    return { id: key.id, key: text };
  }

  describe('of a Free key', () => {
    it('let 60 a minute and 1,000 a day through, and as many again after midnight (UTC)', async () => {
      const key = await store.key('free');
      for (let minute = 0; minute < 16; minute++) {
        expect(tally(await burst(61, key))).toEqual({ 200: 60, rate_limit_exceeded: 1 });
        store.clock.advance(MINUTE_MS);
      }
      expect(tally(await burst(41, key))).toEqual({ 200: 40, daily_quota_exceeded: 1 });

      store.clock.set(at('23:59:59.999'));
      expect(line(await next(key))).toBe(
        'daily_quota_exceeded: 0/1000 until tomorrow 00:00:00; "minute";r=60;t=60, "day";r=0;t=1; retry 1',
      );
      store.clock.advance(1);
      expect(line(await next(key))).toBe(
        '200: 59/60 until tomorrow 00:01:00; "minute";r=59;t=60, "day";r=999;t=86400',
      );
    });
  });

  describe('are those of the account', () => {
    it('for all its keys together, and of no other account', async () => {
      const [first, second, other] = [
        await store.key('free', 'zoo'),
        await store.key('free', 'zoo'),
        await store.key('free', 'ark'),
      ];
      const bursts = await Promise.all([burst(40, first), burst(40, second)]);

      expect(tally(bursts.flat())['200']).toBe(60);
      expect(outcome(await next(first))).toBe('rate_limit_exceeded');
      expect((await next(other)).headers['x-ratelimit-remaining']).toBe('59');
    });

    it('with each key limited by its own plan', async () => {
      const [free, pro] = [await store.key('free', 'zoo'), await store.key('pro', 'zoo')];
      await burst(70, pro);

      expect(outcome(await next(free))).toBe('rate_limit_exceeded');
      expect(line(await next(pro))).toBe(
        '200: 229/300 until 12:01:00; "minute";r=229;t=60, "day";r=9929;t=43200',
      );
    });

    it('and one budget for a key and the one that replaces it', async () => {
      const { id, key } = await issue({ plan: 'free' });
      await burst(40, key);
      const { text } = await store.app.get(StoreKeyIssuer).rotate(id, DAY_MS);

      expect((await next(text)).headers['x-ratelimit-remaining']).toBe('19');
      expect((await next(key)).headers['x-ratelimit-remaining']).toBe('18');
    });

    it('and not those of an address that has the name of the account', async () => {
      await burst(60, await store.key('free', '127.0.0.1'));

      expect(outcome(await next(null))).toBe('missing_api_key');
    });

    it('and change with its plan, with the requests that are already used', async () => {
      const { id, key } = await issue({ plan: 'free' });
      await burst(60, key);
      expect(outcome(await next(key))).toBe('rate_limit_exceeded');

      await store.app.get(StoreKeyIssuer).setPlan(id, 'pro');
      await store.app.get(KeyChangesPoller).poll();
      expect(line(await next(key))).toBe(
        '200: 239/300 until 12:01:00; "minute";r=239;t=60, "day";r=9939;t=43200',
      );

      await store.app.get(StoreKeyIssuer).setPlan(id, 'enterprise', { perMinute: 61, perDay: 100 });
      await store.app.get(KeyChangesPoller).poll();
      expect(line(await next(key))).toBe(
        'rate_limit_exceeded: 0/61 until 12:01:00; "minute";r=0;t=60, "day";r=39;t=43200; retry 60',
      );
    });
  });

  describe('ban a key', () => {
    /** Lets a key with one request a minute be refused until it is banned. */
    async function untilBanned(key: string): Promise<RawResponse> {
      const responses = await burst(21, key);
      expect(tally(responses)).toEqual({ 200: 1, rate_limit_exceeded: 19, api_key_banned: 1 });
      return responses.at(-1)!;
    }

    it('and neither another key of its account, which shares its budget, nor the address of the caller', async () => {
      const { key } = await issue({ plan: 'enterprise', perMinute: 1, perDay: 1_000, account: 'zoo' });
      await untilBanned(key);

      const other = await next(await store.key('pro', 'zoo'));
      expect(outcome(other)).toBe('200');
      expect(other.headers['x-ratelimit-remaining']).toBe('298');
      expect(outcome(await next(null))).toBe('missing_api_key');
    });
  });

  describe('of an address without a valid key', () => {
    it('let 60 requests a minute through, and ban it like a Free key', async () => {
      const responses = await burst(60 + 30, null, '192.0.2.1', proxied);
      expect(tally(responses)).toEqual({ missing_api_key: 60, rate_limit_exceeded: 29, api_key_banned: 1 });
      expect(responses[59]!.headers).toMatchObject({
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Date.parse(at('12:01:00')) / 1_000),
        'ratelimit-policy': '"minute";q=60;w=60',
        ratelimit: '"minute";r=0;t=60',
      });
      expect(responses[89]!.headers['retry-after']).toBe('60');
    });

    it('are lifted with its ban, an IPv6 address by its /64, and no others', async () => {
      for (const address of ['192.0.2.1', '2001:db8:0:1::1', '192.0.2.2'])
        await burst(60 + 30, null, address, proxied);
      proxied.clock.advance(1_000);
      for (const address of ['192.0.2.1', '2001:db8:0:1::/64'])
        await proxied.app.get(LiftBan).execute({ address });
      await proxied.app.get(KeyChangesPoller).poll();
      proxied.clock.advance(59_000 - 1);
      expect(outcome(await next(null, '192.0.2.2', proxied))).toBe('api_key_banned');
      for (const address of ['192.0.2.1', '2001:db8:0:1::2'])
        expect(outcome(await next(null, address, proxied))).toBe('rate_limit_exceeded');
    });

    it('count an address that the proxy writes with a port as the address', async () => {
      for (const port of [51_234, 51_235]) {
        await burst(30, null, `192.0.2.3:${port}`, proxied);
        await burst(30, null, `[2001:db8:0:3::1]:${port}`, proxied);
      }
      for (const address of ['192.0.2.3', '2001:db8:0:3::2'])
        expect(outcome(await next(null, address, proxied))).toBe('rate_limit_exceeded');
      expect(outcome(await next(null, '192.0.2.4:51234', proxied))).toBe('missing_api_key');
    });

    it('trust a proxy that another one writes with a port as that proxy', async () => {
      const behindTwo = await TestApp.start({ TRUST_PROXY: 'loopback, 10.0.0.0/8, 2001:db8:10::/48' });
      try {
        await burst(60, null, '192.0.2.5:51234, 10.0.0.1:4711', behindTwo);
        await burst(60, null, '192.0.2.6, [2001:db8:10::1]:443', behindTwo);
        for (const address of ['192.0.2.5', '192.0.2.6'])
          expect(outcome(await next(null, `${address}, 10.0.0.2:80`, behindTwo))).toBe('rate_limit_exceeded');
        expect(outcome(await next('x', '192.0.2.7, 10.0.0.1:4711', behindTwo))).toBe('invalid_api_key');
        expect(outcome(await next(null, '192.0.2.5, 192.0.2.8:4711', behindTwo))).toBe('missing_api_key');
      } finally {
        await behindTwo.stop();
      }
    });

    it('count missing and bad keys alike', async () => {
      await burst(30, null, '192.0.2.2', proxied);
      await burst(30, generateApiKey('ask_live_'), '192.0.2.2', proxied);

      expect(outcome(await next(null, '192.0.2.2', proxied))).toBe('rate_limit_exceeded');
      expect(outcome(await next('x', '192.0.2.2', proxied))).toBe('rate_limit_exceeded');
    });

    it('count what cannot be read against nobody behind a proxy, whose address all callers share', async () => {
      const tooLong = `GET /v1/pets HTTP/1.1\r\nHost: store\r\nX-Padding: ${'x'.repeat(17_000)}\r\n\r\n`;
      const heads = ['GARBAGE\r\n\r\n', tooLong];
      const responses: RawResponse[] = [];
      for (let sent = 0; sent < 100; sent++)
        responses.push(...(await exchange(proxied.port, heads[sent % heads.length]!)));

      expect(tally(responses)).toEqual({ bad_request: 50, headers_too_large: 50 });
      for (const { headers } of responses)
        expect(headers).toMatchObject({ connection: 'close', 'x-ratelimit-remaining': '60' });
      expect((await next(null, '127.0.0.1', proxied)).headers['x-ratelimit-remaining']).toBe('59');
    });

    it('count a head that can be read, with a mistake in it, against the address that the proxy names', async () => {
      const head = (address: string) => `GET /v1/pets HTTP/1.1\r\nX-Forwarded-For: ${address}\r\n\r\n`;
      const responses: RawResponse[] = [];
      for (let sent = 0; sent < 60 + 30; sent++)
        responses.push(...(await exchange(proxied.port, head('192.0.2.7'))));

      expect(outcome(responses.at(-1)!)).toBe('api_key_banned');
      expect(outcome((await exchange(proxied.port, head('192.0.2.8')))[0]!)).toBe('bad_request');
    });

    it('give 429, and then a ban, to what cannot be read as a request, and close its connection', async () => {
      const responses: RawResponse[] = [];
      for (let sent = 0; sent < 60 + 30; sent++)
        responses.push(...(await exchange(store.port, UNREADABLE[sent % UNREADABLE.length]![1])));

      const codes = responses.map(outcome);
      expect(responses[0]!.headers['x-ratelimit-remaining']).toBe('59');
      expect(codes.slice(60, -1)).toEqual(Array<string>(29).fill('rate_limit_exceeded'));
      expect(codes.at(-1)).toBe('api_key_banned');
      expect(outcome(await next(null))).toBe('api_key_banned');
      for (const { headers } of responses.slice(60))
        expect(headers).toMatchObject({ connection: 'close', 'retry-after': '60' });
    });

    it('allow four look-ups of keys a second when they are used up, and a new key still gets in', async () => {
      const keys = proxied.app.get(ApiKeyStore);
      const one = jest.spyOn(keys, 'findByHash');
      const many = jest.spyOn(keys, 'findByHashes');
      await burst(60 + 30, null, '192.0.2.20', proxied);

      const startedAtMs = performance.now();
      const guesses: Promise<RawResponse>[] = [];
      for (let sent = 0; sent < 100; sent++) {
        guesses.push(next(generateApiKey('ask_live_'), '192.0.2.20', proxied));
      }
      const key = await proxied.key('free');
      expect(outcome(await next(key, '192.0.2.20', proxied))).toBe('200');
      expect(tally(await Promise.all(guesses))).toEqual({ api_key_banned: 100 });
      const seconds = (performance.now() - startedAtMs) / SECOND_MS;

      expect(one).not.toHaveBeenCalled();
      expect(many.mock.calls.length).toBeLessThanOrEqual(1 + 4 * seconds);
      jest.restoreAllMocks();
    });

    it('do not affect or count requests with a valid key from the same address', async () => {
      const key = await proxied.key('free');
      await burst(60, null, '192.0.2.3', proxied);
      expect(tally(await burst(60, key, '192.0.2.3', proxied))).toEqual({ 200: 60 });

      await burst(60, await proxied.key('free'), '192.0.2.4', proxied);
      expect((await next(null, '192.0.2.4', proxied)).headers['x-ratelimit-remaining']).toBe('59');
    });

    it.each([
      ['an IPv4 address', '192.0.2.6', '192.0.2.6', '192.0.2.7'],
      [
        'the address that the proxy has seen, not one that the client claims',
        '192.0.2.10',
        '203.0.113.1, 192.0.2.10',
        '192.0.2.11',
      ],
    ])('go by %s behind a proxy', async (_, address, same, other) => {
      await burst(10, null, address, proxied);

      expect((await next(null, same, proxied)).headers['x-ratelimit-remaining']).toBe('49');
      expect((await next(null, other, proxied)).headers['x-ratelimit-remaining']).toBe('59');
    });

    it('go by the address of the connection, not X-Forwarded-For, unless a proxy is trusted', async () => {
      await burst(10, null, '192.0.2.13');

      expect((await next(null, '192.0.2.14')).headers['x-ratelimit-remaining']).toBe('49');
    });
  });

  it('are those of the settings', async () => {
    const small = await TestApp.start({
      FREE_PER_MINUTE: '2',
      FREE_PER_DAY: '100',
      BAN_MIN_REFUSALS: '3',
      BAN_FIRST_SECONDS: '70',
      BAN_LONGEST_SECONDS: '200',
      BAN_MEMORY_SECONDS: '1000',
    });
    const key = await small.key('free');
    const bans: number[] = [];
    for (const pauseSeconds of [70, 140, 200, 1_000, 0]) {
      const responses = await burst(5, key, undefined, small);
      expect(tally(responses)).toEqual({ 200: 2, rate_limit_exceeded: 2, api_key_banned: 1 });
      bans.push(Number(responses.at(-1)!.headers['retry-after']));
      small.clock.advance(pauseSeconds * SECOND_MS);
    }
    await small.stop();

    expect(bans).toEqual([70, 140, 200, 200, 70]);
  });

  it('count a repeated request that gets its first response again', async () => {
    const key = await store.key('free');
    const headers = { 'Idempotency-Key': 'once' };
    const post = () =>
      store.send('POST', '/v1/pets', key).set(headers).send({ name: 'Rex', categoryId: 7 }).expect(201);
    await post();

    expect((await post()).headers['x-ratelimit-remaining']).toBe('58');
  });

  it('do not apply to health checks and documentation', async () => {
    for (const path of ['/health/live', '/health/ready', '/docs', '/openapi.json']) {
      const { headers } = await store.send('GET', path, null).expect(200);
      expect(Object.keys(headers as object).filter((name) => name.includes('ratelimit'))).toEqual([]);
    }
    expect(tally(await burst(1, await store.key('free')))).toEqual({ 200: 1 });
  });
});
