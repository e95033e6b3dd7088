import { setTimeout as delay } from 'node:timers/promises';
import { RedisServer } from '@animal-store/rate-limiting/testing';
import {
  type ModuleKind,
  type NestVersion,
  PlainNestApplications,
  type RunningApplication,
  type Settings,
} from './plain-nest-applications.js';

const MINUTES_MS = 60_000;
const ADAPTERS = ['express', 'fastify', 'fast-express'] as const;
const JSON_BODY = { method: 'POST', headers: { 'Content-Type': 'application/json' } };

interface Installed {
  readonly applications: PlainNestApplications;
}

/** Installs the libraries beside a version of Nest, and compiles the application that uses them. */
export function install(version: NestVersion, ...kinds: ModuleKind[]): Installed {
  const installed: { applications?: PlainNestApplications } = {};

  beforeAll(async () => {
    installed.applications = await PlainNestApplications.install(version);
    for (const kind of kinds) await installed.applications.compile(kind);
  }, 6 * MINUTES_MS);

  afterAll(() => installed.applications?.remove());

  return installed as Installed;
}

export function describeLibraries(installed: Installed, ...kinds: ModuleKind[]): void {
  const runs = kinds.flatMap((kind) =>
    ADAPTERS.map((adapter): [ModuleKind, Settings['adapter']] => [kind, adapter]),
  );

  describe.each(runs)('The libraries, installed in a plain Nest application (%s) on %s', (kind, adapter) => {
    let app: RunningApplication;

    beforeAll(async () => {
      app = await installed.applications.start(kind, { adapter });
    }, MINUTES_MS);

    afterAll(() => app?.stop());

    it('know the caller by its key, with the facts of the application', async () => {
      const response = await app.fetch('/v1/ships', 'blue');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ team: 'blue', scopes: ['read'] });
    });

    it('refuse a request without a key, and one with a bad key, with a challenge', async () => {
      const missing = await app.fetch('/v1/ships');
      expect(missing.status).toBe(401);
      expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="api"');
      expect(await missing.json()).toEqual({
        code: 'missing_api_key',
        message: expect.stringContaining('API key') as string,
        status: 401,
      });

      const bad = await app.fetch('/v1/ships', 'acme_nonsense');
      expect(bad.headers.get('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"');
      expect(await bad.json()).toMatchObject({ code: 'invalid_api_key', status: 401 });
      expect(bad.headers.get('content-type')).toBe('application/json; charset=utf-8');
    });

    it('let everyone use a public route', async () => {
      expect(await (await app.fetch('/v1/open')).json()).toEqual({ caller: null });
    });

    it('set the headers of the limit, count a cost, and respond with 429 past the limit', async () => {
      const first = await app.fetch('/v1/ships', 'slow');
      expect(first.headers.get('x-ratelimit-remaining')).toBe('2');
      expect(first.headers.get('ratelimit-policy')).toBe('"minute";q=3;w=60');
      const report = await app.fetch('/v1/ships/report', 'slow');
      expect(report.status).toBe(429);
      expect(Number(report.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await report.json()).toEqual({
        code: 'rate_limit_exceeded',
        message: expect.stringContaining('3 requests per minute') as string,
        status: 429,
      });
      expect((await app.fetch('/v1/ships', 'slow')).headers.get('x-ratelimit-remaining')).toBe('1');
    });

    it('count a request as many times as the route computes from it', async () => {
      const remaining = async (days: number): Promise<number> => {
        const { headers } = await app.fetch(`/v1/ships/voyages?days=${days}`, 'blue');
        return Number(headers.get('x-ratelimit-remaining'));
      };
      const left = await remaining(0);
      expect(await remaining(9)).toBe(left - 9);
      expect(await remaining(0)).toBe(left - 9);
    });

    it('count all windows of a list in one step, of a subject that is looked up', async () => {
      const limits = async () => {
        const { status, headers } = await app.fetch('/v1/ships', 'listed');
        return { status, left: headers.get('ratelimit')?.replace(/;t=\d+/g, '') };
      };
      const last = { left: '"burst";r=0, "hour";r=1, "today";r=7' };
      expect(await limits()).toEqual({ status: 200, left: '"burst";r=1, "hour";r=2, "today";r=8' });
      expect(await limits()).toEqual({ status: 200, ...last });
      // A refused request costs nothing of any window.
      expect(await limits()).toEqual({ status: 429, ...last });
    });

    it('limit only routes with a budget of a plan without limits, which these routes share', async () => {
      expect((await app.fetch('/v1/ships', 'unlimited')).headers.has('ratelimit')).toBe(false);
      for (const path of ['search', 'suggestions', 'search'])
        expect((await app.fetch(`/v1/ships/${path}`, 'unlimited')).status).toBe(200);
      const refused = await app.fetch('/v1/ships/suggestions', 'unlimited');
      expect(refused.headers.get('ratelimit-policy')).toBe('"search.hour";q=3;w=3600');
      expect(await refused.json()).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
      expect((await app.fetch('/v1/ships', 'unlimited')).status).toBe(200);
    });

    it(
      'say in one line what is wrong with a plan',
      async () => {
        expect((await app.fetch('/v1/ships', 'wrong')).status).toBe(500);
        const line = 'RangeError: A plan must be a list of windows, not {"perHour":3}.';
        while (!app.output.split('\n').includes(line)) await delay(20);
      },
      MINUTES_MS,
    );

    it('take addresses of one /64 for one caller', async () => {
      const remaining = async (address: string): Promise<string | null> => {
        const { headers } = await app.fetch('/v1/open', undefined, { headers: { 'X-Address': address } });
        return headers.get('x-ratelimit-remaining');
      };
      expect(await remaining('2001:db8:1:1::7')).toBe('9999');
      expect(await remaining('2001:db8:1:1::8')).toBe('9998');
      expect(await remaining('2001:db8:1:2::7')).toBe('9999');
    });

    it('ban who continues after refusals', async () => {
      for (let i = 0; i < 2 + 3; i++) await app.fetch('/v1/ships', 'banned');
      const response = await app.fetch('/v1/ships', 'banned');
      expect(await response.json()).toMatchObject({ code: 'api_key_banned', status: 429 });
    });

    it('do not count what @SkipThrottle() excepts', async () => {
      const response = await app.fetch('/v1/ships/skipped', 'blue');
      expect(response.status).toBe(200);
      expect(response.headers.has('ratelimit')).toBe(false);
    });

    it('announce a deprecation, on a 401 too, and respond with 410 after the sunset', async () => {
      for (const [key, status] of [
        ['blue', 200],
        [undefined, 401],
      ] as const) {
        const response = await app.fetch('/v1/ships/retiring', key);
        expect(response.status).toBe(status);
        expect(response.headers.get('deprecation')).toBe('@1577836800');
        expect(response.headers.get('sunset')).toBe('Tue, 01 Jan 2999 00:00:00 GMT');
        expect(response.headers.get('link')).toBe('</v1/ships>; rel="successor-version"');
      }
      const removed = await app.fetch('/v1/ships/removed', 'blue');
      expect(await removed.json()).toMatchObject({ code: 'operation_removed', status: 410 });
      expect(removed.headers.get('sunset')).toBe('Fri, 01 Jan 2021 00:00:00 GMT');
    });

    it('announce the deprecation of a controller', async () => {
      const { headers } = await app.fetch('/v1/ferries/old', 'blue');
      expect(headers.get('deprecation')).toBe('@1577836800');
    });

    it('send every error as the same object: 404, 405 with Allow, 400, 500', async () => {
      const unknown = await app.fetch('/v1/boats', 'blue');
      expect(await unknown.json()).toEqual({
        code: 'route_not_found',
        message: 'The path does not exist.',
        status: 404,
      });
      const method = await app.fetch('/v1/ships', 'blue', { method: 'DELETE' });
      expect(method.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
      expect(await method.json()).toMatchObject({ code: 'method_not_allowed', status: 405 });
      const options = await app.fetch('/v1/ships', 'blue', { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
      expect(await (await app.fetch('/v1/ships/missing', 'blue')).json()).toEqual({
        code: 'not_found',
        message: 'No such ship.',
        status: 404,
      });
      const malformed = await app.fetch('/v1/ships', 'blue', { ...JSON_BODY, body: '{"name"' });
      expect(await malformed.json()).toMatchObject({ code: 'bad_request', status: 400 });
      expect(await (await app.fetch('/v1/ships/broken', 'blue')).json()).toEqual({
        code: 'internal_error',
        message: 'The service failed to process the request.',
        status: 500,
      });
    });

    it('require the key before they say which paths there are', async () => {
      expect((await app.fetch('/v1/boats')).status).toBe(401);
      expect((await app.fetch('/v1/ships', undefined, { method: 'DELETE' })).status).toBe(401);
    });

    it('refuse a malformed escape in the path after the guards', async () => {
      const response = await app.fetch('/v1/ships/%zz', 'blue');
      expect(response.headers.has('ratelimit')).toBe(true);
      expect(await response.json()).toMatchObject({ code: 'bad_request', status: 400 });
      expect((await app.fetch('/v1/ships/%zz')).status).toBe(401);
    });

    it('guard a controller of a feature module with @UseGuards', async () => {
      const response = await app.fetch('/feature', 'blue');
      expect(await response.text()).toBe('feature');
      expect(response.headers.has('ratelimit')).toBe(true);
    });

    it('guard a gateway, and leave the errors of a hybrid application to Nest', async () => {
      expect(await app.say('hail')).toEqual({ event: 'hail', data: 'ahoy' });
      expect(await app.message('hail')).toMatchObject({ response: 'ahoy' });
      expect(await app.message('sink')).toMatchObject({ err: { message: 'Internal server error' } });
    });
  });
}

/** GraphQL and an OpenAPI document. */
export function describeExtended(installed: Installed, kind: ModuleKind): void {
  describe(`The libraries in a larger application (${kind})`, () => {
    let app: RunningApplication;

    beforeAll(async () => {
      app = await installed.applications.start(kind, { adapter: 'fastify' }, 'extended.main');
    }, MINUTES_MS);

    afterAll(() => app?.stop());

    const query = async (text: string): Promise<Response> => {
      const body = JSON.stringify({ query: text });
      return app.fetch('/graphql', undefined, { ...JSON_BODY, body });
    };

    it('leave the errors of GraphQL to Nest', async () => {
      const hail = async (name: string): Promise<unknown> =>
        (await query(`{ hail(name: "${name}") }`)).json();
      expect(await hail('Rex')).toEqual({ data: { hail: 'ahoy Rex' } });
      expect(await hail('Titanic')).toMatchObject({ errors: [{ message: 'No such ship.' }] });
    });

    it('describe a deprecated operation and the errors', async () => {
      const document: unknown = await (await app.fetch('/openapi.json')).json();
      expect(document).toMatchObject({
        paths: {
          '/v1/harbours': {
            get: {
              deprecated: true,
              'x-sunset': '2999-01-01',
              responses: { 404: { description: '`not_found`: There is no such harbour.' } },
            },
          },
        },
        components: { schemas: { Error: { required: ['code', 'message', 'status'] } } },
      });
    });
  });
}

export function describeVersions(installed: Installed, kind: ModuleKind): void {
  describe.each(ADAPTERS)('A global prefix and versions by header, on %s', (adapter) => {
    let app: RunningApplication;

    beforeAll(async () => {
      app = await installed.applications.start(kind, { adapter, globalPrefix: 'api', versioning: 'header' });
    }, MINUTES_MS);

    afterAll(() => app?.stop());

    const get = (path: string, version: string, method = 'GET') =>
      app.fetch(path, 'blue', { method, headers: { 'X-Version': version } });

    it('find their routes', async () => {
      expect((await get('/api/ships', '1')).status).toBe(200);
      expect(await (await get('/api/open/newer', '2')).text()).toBe('newer');
    });

    it('give 405 with the methods of the path, and 404 for a version that it does not have', async () => {
      const method = await get('/api/ships', '1', 'DELETE');
      expect([method.status, method.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST']);
      expect(await (await get('/api/ships', '9')).json()).toMatchObject({
        code: 'route_not_found',
        status: 404,
      });
      expect(await (await get('/ships', '1')).json()).toMatchObject({ code: 'route_not_found', status: 404 });
    });
  });
}

export function describeRedis(
  installed: Installed,
  kinds: readonly [ModuleKind, ModuleKind],
  adapters: readonly Settings['adapter'][] = ADAPTERS,
): void {
  describe.each(adapters)('Limits in Redis, on %s', (adapter) => {
    let redis: RedisServer;
    let replicas: RunningApplication[];

    beforeAll(async () => {
      redis = await RedisServer.start();
      replicas = [];
      for (const kind of kinds) {
        replicas.push(await installed.applications.start(kind, { adapter, redisUrl: redis.url }));
      }
    }, MINUTES_MS);

    afterAll(async () => {
      await Promise.all((replicas ?? []).map((replica) => replica.stop()));
      await redis?.stop();
    });

    it(
      'are shared by replicas, continue locally without Redis, and come back with it',
      async () => {
        const remaining = async (replica: number): Promise<string | null> =>
          (await replicas[replica]!.fetch('/v1/ships', 'blue')).headers.get('x-ratelimit-remaining');
        const left = [await remaining(0), await remaining(1), await remaining(0)];
        expect(left).toEqual(['999', '998', '997']);

        await redis.stop();
        const lost = await Promise.all([remaining(0), remaining(1)]);
        expect(lost.every((count) => Number(count) > 990)).toBe(true);

        await redis.restart();
        const deadlineMs = Date.now() + 20_000;
        let shared = false;
        while (!shared && Date.now() < deadlineMs) {
          await delay(50);
          const [one, other] = [Number(await remaining(0)), Number(await remaining(1))];
          shared = one - other === 1;
        }
        expect(shared).toBe(true);
      },
      MINUTES_MS,
    );

    it(
      'are local when the store without a fallback finds no Redis at the start',
      async () => {
        const alone = { adapter, redisUrl: 'redis://127.0.0.1:1', withoutFallback: true };
        const app = await installed.applications.start(kinds[0], alone);
        const responses = [await app.fetch('/v1/ships', 'slow'), await app.fetch('/v1/ships', 'slow')];
        await app.stop();
        expect(responses.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['2', '1']);
        expect(app.output).toContain('Redis does not count. Limiting by local counts.');
      },
      MINUTES_MS,
    );
  });
}
