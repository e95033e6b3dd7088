import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  Logger,
  type ModuleMetadata,
  type Type,
} from '@nestjs/common';
import { APP_GUARD, ModuleRef } from '@nestjs/core';
// eslint-disable-next-line no-restricted-syntax -- what Nest passes to guards has no other door
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import {
  SkipThrottle,
  Throttle,
  ThrottlerException,
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  ThrottlerModule,
} from '@nestjs/throttler';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { freePort } from '@animal-store/kernel/testing';
import { perDay, perMinute, type RatePlan } from './rate-plan.js';
import { MemoryRateLimitStore } from './stores/memory-rate-limit.store.js';
import { PlanThrottlerGuard } from './guard/plan-throttler.guard.js';
import { RateLimit } from './guard/rate-limit.decorator.js';
import { RateLimitExceeded } from './rate-limit.errors.js';
import { RateLimitStore } from './rate-limit.store.js';
import { RedisRateLimitStore } from './redis/redis-rate-limit.store.js';
import { RateLimitingModule } from './rate-limiting.module.js';
import { RATE_LIMITING_OPTIONS, type RateLimitingOptions } from './rate-limiting.options.js';

const NOON = Date.UTC(2030, 2, 1, 12);
const HOUR = { name: 'hour', limit: 3, seconds: 3_600 };
const pro = { id: 'key-7', plan: [perMinute(3), perDay(4)], label: 'pro' };
const anonymous = { id: '203.0.113.7', plan: [perMinute(60)], isAddress: true };

class Listing {
  @Get('open')
  open(): string {
    return 'open';
  }
}

@Controller('pets')
class PetsController extends Listing {
  @Get()
  list(): string[] {
    return [];
  }

  @RateLimit({ cost: 2 })
  @Get('report')
  report(): string {
    return 'report';
  }

  @RateLimit({ cost: ({ query }) => Number(query['count']) })
  @Get('export')
  export(): string {
    return 'export';
  }

  @RateLimit({ cost: 100 })
  @Get('archive')
  archive(): string {
    return 'archive';
  }

  @RateLimit({ budget: 'usage', windows: [perMinute(2)], separate: true })
  @Get('usage')
  usage(): string {
    return 'usage';
  }

  @RateLimit({ budget: 'search', windows: [{ name: 'burst', limit: 2, seconds: 10 }] })
  @Get('search')
  search(): string {
    return 'search';
  }

  @RateLimit({ budget: 'search', windows: [{ name: 'burst', limit: 2, seconds: 10 }], cost: 2 })
  @Get('suggestions')
  suggest(): string {
    return 'suggestions';
  }

  @SkipThrottle()
  @Get('skipped')
  skipped(): string {
    return 'skipped';
  }
}

@SkipThrottle()
@Controller('health')
class HealthController extends Listing {
  @Get()
  live(): string {
    return 'ok';
  }

  @SkipThrottle({ default: false })
  @Get('deep')
  deep(): string {
    return 'ok';
  }
}

/** A store that responds asynchronously, like one over the network. */
function lateStore(): RateLimitStore {
  const store: RateLimitStore = new MemoryRateLimitStore();
  const consume = store.consume.bind(store);
  return Object.assign(store, {
    consume: async (...request: Parameters<typeof consume>) => consume(...request),
  });
}

describe('RateLimitingModule', () => {
  let app: INestApplication;
  let nowMs: number;
  let decisions: string[];
  let bans: string[];

  async function start(store: RateLimitStore): Promise<void> {
    nowMs = NOON + 18_000;
    decisions = [];
    bans = [];
    const options: RateLimitingOptions = {
      store,
      subjectOf: ({ headers }) => (headers.authorization === undefined ? anonymous : pro),
      now: () => nowMs,
      onDecision: (outcome, label) => decisions.push(`${outcome} ${label}`),
      onBan: ({ refusals, seconds }, { id }) => bans.push(`${id} ${refusals} ${seconds}`),
    };
    await serve([RateLimitingModule.forRootAsync({ useFactory: () => options })]);
  }

  /** Starts an application with these modules and a global guard. */
  async function serve(
    imports: NonNullable<ModuleMetadata['imports']>,
    guard: Type = PlanThrottlerGuard,
    controllers: Type[] = [PetsController, HealthController],
  ): Promise<void> {
    const isProvided = guard === PlanThrottlerGuard;
    const built = await Test.createTestingModule({
      imports,
      controllers,
      providers: [{ provide: APP_GUARD, ...(isProvided ? { useExisting: guard } : { useClass: guard }) }],
    }).compile();
    // A cost that cannot be counted is logged.
    app = built.createNestApplication({ logger: false });
    await app.init();
  }

  const limiting = (options: Omit<RateLimitingOptions, 'subjectOf'> & Partial<RateLimitingOptions> = {}) =>
    RateLimitingModule.forRoot({ subjectOf: () => pro, ...options });

  const get = (path: string) => request(app.getHttpServer()).get(path).set('Authorization', 'Bearer x');

  afterEach(async () => {
    jest.restoreAllMocks();
    await app?.close();
  });

  describe.each([
    ['a synchronous store', () => new MemoryRateLimitStore()],
    ['an asynchronous store', lateStore],
  ])('with %s', (_, makeStore) => {
    beforeEach(async () => {
      await start(makeStore());
    });

    describe('a route that counts apart', () => {
      it('uses up nothing of the plan, and has a minute of its own', async () => {
        await get('/pets/usage')
          .expect('X-RateLimit-Limit', '2')
          .expect('RateLimit-Policy', '"usage.minute";q=2;w=60');
        await get('/pets/usage').expect(200);
        const refused = await get('/pets/usage').expect(429);
        expect(refused.body.code).toBe('rate_limit_exceeded');
        await get('/pets').expect('X-RateLimit-Remaining', '2').expect(200);
      });

      it('responds when the plan is used up', async () => {
        await get('/pets/archive').expect(200);
        await get('/pets').expect(429);
        await get('/pets/usage').expect(200);
      });

      it('counts the requests of an address as all others', async () => {
        const anonymously = (path: string) => request(app.getHttpServer()).get(path);
        const { headers } = await anonymously('/pets');
        const left = Number(headers['x-ratelimit-remaining']);
        await anonymously('/pets/usage').expect('X-RateLimit-Remaining', String(left - 1));
      });
    });

    describe('routes with a budget', () => {
      it('count in the windows of the plan and in those of the budget, which they share', async () => {
        expect((await get('/pets/search').expect(200)).headers).toMatchObject({
          'x-ratelimit-limit': '2',
          'x-ratelimit-remaining': '1',
          'ratelimit-policy': '"minute";q=3;w=60, "day";q=4;w=86400, "search.burst";q=2;w=10',
          ratelimit: '"minute";r=2;t=60, "day";r=3;t=43182, "search.burst";r=1;t=10',
        });
        const { body, headers } = await get('/pets/suggestions').expect(429);
        expect(body).toEqual({
          code: 'rate_limit_exceeded',
          message: 'The budget search allows 2 requests in 10 seconds; try again in 10 seconds.',
        });
        expect(headers['retry-after']).toBe('10');
        await get('/pets').expect('X-RateLimit-Remaining', '1').expect(200);
      });

      it('are refused by the plan, too, and use up nothing of the budget then', async () => {
        await get('/pets/archive').expect(200);
        const refused = await get('/pets/search').expect(429);
        expect(refused.headers['ratelimit']).toContain('"minute";r=0;t=60');
        expect(refused.headers['ratelimit']).toContain('"search.burst";r=2');
      });

      it('count an address in both, too', async () => {
        const anonymously = () => request(app.getHttpServer()).get('/pets/search');
        for (let i = 0; i < 2; i++) await anonymously().expect(200);
        await anonymously().expect(429);
      });
    });

    it('sets the headers of both windows on a response', async () => {
      const { status, headers } = await get('/pets');
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'x-ratelimit-limit': '3',
        'x-ratelimit-remaining': '2',
        'x-ratelimit-reset': '1898596878',
        'ratelimit-policy': '"minute";q=3;w=60, "day";q=4;w=86400',
        ratelimit: '"minute";r=2;t=60, "day";r=3;t=43182',
      });
      expect(headers).not.toHaveProperty('retry-after');
    });

    it('responds with 429 past the limit of the minute, with the same headers and Retry-After', async () => {
      for (let i = 0; i < 3; i++) await get('/pets');
      nowMs += 17_500;
      const { status, headers, body } = await get('/pets');
      expect(status).toBe(429);
      expect(body).toEqual({
        code: 'rate_limit_exceeded',
        message: 'The plan allows 3 requests per minute; try again in 43 seconds.',
      });
      expect(headers).toMatchObject({
        'x-ratelimit-limit': '3',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1898596878',
        ratelimit: '"minute";r=0;t=43, "day";r=1;t=43165',
        'retry-after': '43',
      });
    });

    it('responds with 429 past the limit of the day', async () => {
      for (let i = 0; i < 3; i++) await get('/pets');
      nowMs += 60_000;
      await get('/pets');
      nowMs = NOON + 43_199_001;
      const { status, headers, body } = await get('/pets');
      expect(status).toBe(429);
      expect(body).toEqual({
        code: 'daily_quota_exceeded',
        message: 'The plan allows 4 requests per day (UTC); try again in 1 second.',
      });
      expect(headers).toMatchObject({
        'x-ratelimit-limit': '4',
        'x-ratelimit-reset': '1898640000',
        'retry-after': '1',
      });
    });

    it('responds with 429 during a ban', async () => {
      for (let i = 0; i < 3 + 19; i++) await get('/pets');
      const { status, headers, body } = await get('/pets');
      expect(status).toBe(429);
      expect(body).toEqual({
        code: 'api_key_banned',
        message: 'Continuing after a 429 led to a temporary ban, which ends in 60 seconds.',
      });
      expect(headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'retry-after': '60' });
    });

    it('counts a route with a cost as several requests', async () => {
      await get('/pets');
      expect((await get('/pets/report')).headers).toMatchObject({
        ratelimit: expect.stringContaining('"minute";r=0'),
      });
      expect((await get('/pets/report')).status).toBe(429);
    });

    it('counts a request as many times as the route computes from it', async () => {
      expect((await get('/pets/export?count=2')).headers).toMatchObject({ 'x-ratelimit-remaining': '1' });
      expect((await get('/pets/export?count=1')).headers).toMatchObject({ 'x-ratelimit-remaining': '0' });
      expect((await get('/pets/export?count=1')).status).toBe(429);
    });

    it('does not count a request whose computed cost is 0, and shows what is left', async () => {
      await get('/pets');
      expect((await get('/pets/export?count=0')).headers).toMatchObject({ 'x-ratelimit-remaining': '2' });
      for (let i = 0; i < 3; i++) await get('/pets');
      expect((await get('/pets/export?count=0')).status).toBe(200);
      expect(decisions).toHaveLength(4);
    });

    it.each(['-1', '1.5', 'many', 'Infinity'])('fails without counting when a cost is %s', async (count) => {
      expect((await get(`/pets/export?count=${count}`)).status).toBe(500);
      expect((await get('/pets')).headers).toMatchObject({ 'x-ratelimit-remaining': '2' });
    });

    it('reports every decision to the application, and the beginning of a ban', async () => {
      for (let i = 0; i < 24; i++) await get('/pets');
      expect(decisions).toEqual([
        ...Array<string>(3).fill('allowed pro'),
        ...Array<string>(19).fill('rate_limit_exceeded pro'),
        ...Array<string>(2).fill('api_key_banned pro'),
      ]);
      expect(bans).toEqual(['key-7 20 60']);
    });
  });

  describe('honours @SkipThrottle()', () => {
    beforeEach(async () => {
      await start(new MemoryRateLimitStore());
    });

    it.each(['/pets/skipped', '/health', '/health/open'])('on %s', async (path) => {
      for (let i = 0; i < 2; i++) expect((await get(path)).headers).not.toHaveProperty('x-ratelimit-limit');
      expect(decisions).toEqual([]);
    });

    it.each(['/pets', '/pets/open', '/health/deep'])('and limits %s', async (path) => {
      for (let i = 0; i < 2; i++) expect((await get(path)).headers).toHaveProperty('x-ratelimit-limit');
      expect(decisions).toHaveLength(2);
    });
  });

  describe('refuses to start when a limit of a route would do nothing', () => {
    class Throttled {
      @Throttle({ default: { limit: 1, ttl: 1_000 } })
      @Get()
      list(): void {}
    }

    class SkippedByName {
      @SkipThrottle({ burst: true })
      @Get()
      list(): void {}
    }

    it.each([
      [Throttled, '@Throttle() on Throttled.list has no effect'],
      [SkippedByName, '@SkipThrottle() on SkippedByName.list names a throttler'],
    ])('%p', async (controller, message) => {
      Controller('ships')(controller);
      await expect(serve([limiting()], undefined, [controller])).rejects.toThrow(message);
    });

    it('options without `subjectOf`', async () => {
      const without = limiting({ subjectOf: undefined as never });
      await expect(serve([without])).rejects.toThrow('RateLimitingModule needs the option `subjectOf`');
    });

    it.each([
      { budget: 'search' },
      { windows: [HOUR] },
      { budget: 'a b', windows: [HOUR] },
      { budget: 'search', windows: [{ ...HOUR, limit: 1.5 }] },
    ])('@RateLimit(%j)', (options) => {
      expect(() => RateLimit(options)).toThrow(RangeError);
    });

    it.each([0, -1, 1.5, NaN])('@RateLimit({ cost: %p })', (cost) => {
      expect(() => RateLimit({ cost })).toThrow(RangeError);
    });
  });

  it('skips those of the option skipIf', async () => {
    const skipIf = (context: ExecutionContext) =>
      context.getArgByIndex<IncomingMessage>(0).headers['x-inside'] !== undefined;
    await serve([limiting({ subjectOf: () => ({ id: 'key-7', plan: [perMinute(1)] }), skipIf })]);
    const inside = await get('/pets').set('X-Inside', 'yes');
    expect(inside.headers).not.toHaveProperty('ratelimit');
    await get('/pets').expect(200);
    await get('/pets').expect(429);
  });

  it('limits nothing of a plan without limits but the budget of a route', async () => {
    const plan: RatePlan = [];
    await serve([limiting({ subjectOf: () => ({ id: 'key-7', plan }) })]);
    for (let i = 0; i < 100; i++) await get('/pets').expect(200);
    expect((await get('/pets')).headers).not.toHaveProperty('ratelimit');
    await get('/pets/suggestions').expect('RateLimit', '"search.burst";r=0;t=10');
    await get('/pets/search').expect(429);
  });

  it('limits locally when the store in Redis is not there, and has no fallback', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const store = await RedisRateLimitStore.at(`redis://127.0.0.1:${await freePort()}`);
    await start(store);
    for (let i = 0; i < 3; i++) await get('/pets').expect(200);
    await get('/pets').expect(429);
    expect(warn.mock.calls.map(([text]) => text as unknown)).toEqual([
      'Redis does not count. Limiting by local counts.',
    ]);
  });

  describe('what is no HTTP', () => {
    /** What the guard says to an operation or a message with these arguments. */
    const pass = (guard: PlanThrottlerGuard, kind: string, ...args: unknown[]): unknown => {
      const context = new ExecutionContextHost(args, PetsController, PetsController.prototype.list);
      context.setType(kind);
      return guard.canActivate(context);
    };

    beforeEach(() => start(new MemoryRateLimitStore()));

    it('is not counted, which is said once of each kind', () => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
      for (const kind of ['rpc', 'ws', 'graphql', 'ws'])
        expect(pass(app.get(PlanThrottlerGuard), kind, {}, {})).toBe(true);
      expect(decisions).toEqual([]);
      expect(warn.mock.calls.map(([text]) => String(text).slice(0, 20))).toEqual([
        'What comes by rpc is',
        'What comes by ws is ',
        'What comes by graphq',
      ]);
    });

    it('is counted by a subclass that finds its request, as those of ThrottlerGuard do', async () => {
      @Injectable()
      class GraphQLGuard extends PlanThrottlerGuard {
        protected override getRequestResponse(context: ExecutionContext) {
          const { req, res } = context.getArgByIndex<Record<'req' | 'res', object>>(2);
          return { req, res };
        }
      }
      const guard = await app.get(ModuleRef).create(GraphQLGuard);
      const setHeader = jest.fn();
      const req = { headers: { authorization: 'Bearer x' } };
      const operation = (res?: object) => pass(guard, 'graphql', {}, {}, { req, res }, {});
      await operation({ setHeader });
      expect(setHeader).toHaveBeenCalledTimes(5);
      for (let i = 0; i < 2; i++) await operation();
      await expect(operation()).rejects.toThrow(RateLimitExceeded);
    });
  });

  it('waits for a subject that must be looked up, and counts it', async () => {
    await serve([limiting({ subjectOf: async () => pro })]);
    for (let left = 2; left >= 0; left--)
      expect((await get('/pets').expect(200)).headers['x-ratelimit-remaining']).toBe(String(left));
    await get('/pets').expect(429);
  });

  it.each<[plan: object, message: string]>([
    [{ perMinute: 3 }, 'A plan must be a list of windows, not {"perMinute":3}.'],
    [[perMinute(0)], 'The limit of the window minute must be a whole number of at least 1, not 0.'],
    [[perDay(Infinity)], 'The limit of the window day must be a whole number of at least 1, not Infinity.'],
    [[{ ...HOUR, seconds: 0.5 }], "window hour must be a whole number of at least 1, or 'day', not 0.5."],
    [[{ ...HOUR, name: 'an "hour"' }], `digits, '.', '_' and '-', not 'an "hour"'.`],
    [[HOUR, { ...HOUR, name: 'other' }], 'Two windows of one plan have the name or the length of other.'],
    [[HOUR, { ...HOUR, seconds: 9 }], 'Two windows of one plan have the name or the length of hour.'],
  ])('says of the plan %j what is wrong with it, and counts nothing', async (plan, message) => {
    const store = new MemoryRateLimitStore();
    await start(store);
    const guard = app.get(PlanThrottlerGuard);
    const wrong = { id: 'key-9', plan: plan as typeof pro.plan };
    const options = app.get<RateLimitingOptions>(RATE_LIMITING_OPTIONS);
    jest.spyOn(options, 'subjectOf').mockReturnValue(wrong);
    const admit = () => guard.admit({ headers: {} } as IncomingMessage, { setHeader: jest.fn() } as never);
    expect(admit).toThrow(RangeError);
    expect(admit).toThrow(message);
    expect(store.usage('key-9', nowMs)).toMatchObject({ windows: [] });
  });

  it('is a ThrottlerGuard, and returns no promise when the store returns none', async () => {
    await start(new MemoryRateLimitStore());
    const setHeader = jest.fn();
    const { list } = PetsController.prototype;
    const context = new ExecutionContextHost([{ headers: {} }, { setHeader }], PetsController, list);
    const guard = app.get(PlanThrottlerGuard);
    expect(guard).toBeInstanceOf(ThrottlerGuard);
    const admitted = guard.canActivate(context);
    expect(setHeader).toHaveBeenCalledTimes(5);
    expect(admitted).toBe(true);
  });

  it('throws what filters for ThrottlerException catch, without a stack trace, which other errors have', async () => {
    await start(new MemoryRateLimitStore());
    const response = { setHeader: () => {} } as unknown as ServerResponse;
    const refusal = () => {
      for (;;) void app.get(PlanThrottlerGuard).admit({ headers: {} } as IncomingMessage, response);
    };
    expect(refusal).toThrow(ThrottlerException);
    expect(refusal).toThrow(RateLimitExceeded);
    expect(refusal).toThrow(expect.objectContaining({ stack: expect.not.stringContaining('\n') as string }));
    expect(new Error('another').stack).toContain('\n    at ');
  });

  describe('a subclass of the guard', () => {
    @Injectable()
    class OwnGuard extends PlanThrottlerGuard {
      static readonly called: string[] = [];

      protected override async getTracker({ headers }: Record<string, IncomingHttpHeaders>): Promise<string> {
        OwnGuard.called.push('getTracker');
        return `tenant ${headers!['x-tenant'] as string}`;
      }

      protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
        OwnGuard.called.push('shouldSkip');
        return context.getArgByIndex<IncomingMessage>(0).url === '/pets/open';
      }

      protected override async getErrorMessage(
        _context: ExecutionContext,
        { tracker, limit, totalHits }: ThrottlerLimitDetail,
      ): Promise<string> {
        OwnGuard.called.push('getErrorMessage');
        return `${tracker}: ${totalHits} of ${limit}`;
      }
    }

    async function startWith(guard: Type<PlanThrottlerGuard>): Promise<void> {
      await serve([limiting()], guard);
      OwnGuard.called.length = 0;
    }

    it('decides whom a request counts against, whether it is skipped, and what a refusal says', async () => {
      await startWith(OwnGuard);
      for (let i = 0; i < 3; i++) await get('/pets').set('X-Tenant', 'ark').expect(200);
      const refused = await get('/pets').set('X-Tenant', 'ark').expect(429);
      expect(refused.body).toEqual({ code: 'rate_limit_exceeded', message: 'tenant ark: 4 of 3' });
      expect(refused.headers['retry-after']).toBe('60');
      await get('/pets').set('X-Tenant', 'zoo').expect('X-RateLimit-Remaining', '2').expect(200);
      expect((await get('/pets/open').expect(200)).headers).not.toHaveProperty('ratelimit');
      expect(new Set(OwnGuard.called)).toEqual(new Set(['getTracker', 'shouldSkip', 'getErrorMessage']));
    });

    it.each(['handleRequest', 'generateKey', 'setResponseHeader'])(
      'is refused when it overrides %s(), which would never be called',
      async (name) => {
        @Injectable()
        class DeafGuard extends PlanThrottlerGuard {}
        Object.defineProperty(DeafGuard.prototype, name, { value: () => undefined });
        await expect(startWith(DeafGuard)).rejects.toThrow(`DeafGuard.${name}() is never called`);
      },
    );

    it('is refused when it sets headerPrefix, which would never be read', async () => {
      @Injectable()
      class RenamingGuard extends PlanThrottlerGuard {
        protected override headerPrefix = 'X-Limit';
      }
      await expect(startWith(RenamingGuard)).rejects.toThrow('RenamingGuard.headerPrefix is never read');
    });

    it('says what a refusal says in errorMessage, too', async () => {
      @Injectable()
      class CurtGuard extends PlanThrottlerGuard {
        protected override errorMessage = 'Slow down.';
      }
      await startWith(CurtGuard);
      for (let i = 0; i < 3; i++) await get('/pets').expect(200);
      await get('/pets').expect(429, { code: 'rate_limit_exceeded', message: 'Slow down.' });
    });

    it('may log a refusal, and leave it to the guard', async () => {
      @Injectable()
      class LoggingGuard extends PlanThrottlerGuard {
        protected override async throwThrottlingException(
          context: ExecutionContext,
          detail: ThrottlerLimitDetail,
        ): Promise<void> {
          OwnGuard.called.push(`${detail.tracker} ${detail.totalHits}`);
          await super.throwThrottlingException(context, detail);
        }

        protected override async getErrorMessage(
          context: ExecutionContext,
          detail: ThrottlerLimitDetail,
        ): Promise<string> {
          return `${await super.getErrorMessage(context, detail)} Slow down.`;
        }
      }
      await startWith(LoggingGuard);
      for (let i = 0; i < 3; i++) await get('/pets').expect(200);
      const message = 'The plan allows 3 requests per minute; try again in 60 seconds. Slow down.';
      await get('/pets').expect(429, { code: 'rate_limit_exceeded', message });
      expect(OwnGuard.called).toEqual([`${pro.id} 4`]);
    });

    it('may let pass what it does not refuse', async () => {
      @Injectable()
      class SilentGuard extends PlanThrottlerGuard {
        protected override async throwThrottlingException(): Promise<void> {}
      }
      await startWith(SilentGuard);
      for (let i = 0; i < 4; i++) await get('/pets').expect(200);
    });
  });

  it('has a store in which another ThrottlerGuard counts', async () => {
    const store = new MemoryRateLimitStore();
    const throttlers = [{ limit: 2, ttl: 10_000 }];
    await serve([ThrottlerModule.forRoot({ throttlers, storage: store })], ThrottlerGuard);
    await get('/pets').expect('X-RateLimit-Remaining', '1').expect(200);
    await get('/pets').expect('X-RateLimit-Remaining', '0').expect(200);
    await get('/pets').expect('Retry-After', '10').expect(429);
    expect(store.size).toBe(1);
  });

  it('closes the store after the last request', async () => {
    const store = new MemoryRateLimitStore();
    const close = jest.spyOn(store, 'close');
    await start(store);
    expect(app.get(RateLimitStore)).toBe(store);
    await app.close();
    expect(close).toHaveBeenCalledTimes(1);
  });
});
