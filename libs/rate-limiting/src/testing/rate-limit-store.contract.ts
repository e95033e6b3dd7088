import fc from 'fast-check';
import { DAY_MS as DAY } from '@animal-store/kernel';
import type { BanRules, RatePlan } from '../rate-plan.js';
import type { RateLimitStore } from '../rate-limit.store.js';
import { SteadyTime } from '../stores/steady-time.js';
import {
  aCaller,
  address,
  free,
  HOUR,
  MIDNIGHT,
  MINUTE,
  NOON,
  planOf,
  SECOND,
  UNTIL_BANNED,
  usageOf,
} from './callers.js';
import { NaiveLimiter } from './naive-limiter.js';
import { play, traffic, type Traffic } from './traffic.js';

/**
 * What every RateLimitStore that counts itself has to do, by the caller's clock. `makeStoreBy` returns an empty one
 * each time; the suite that passes it closes what it opened. `monotonicMs` is the clock that cannot be set; it
 * stops unless a test advances it.
 *
 * @param comparison which random traffic to compare with the naive reference, and how much of it
 */
export function describeRateLimitStore(
  name: string,
  makeStoreBy: (
    bans: Partial<BanRules> | undefined,
    monotonicMs: () => number,
  ) => RateLimitStore | Promise<RateLimitStore>,
  comparison: { traffic: fc.Arbitrary<Traffic>; runs: number } = { traffic, runs: 100 },
): void {
  describe(`${name} passes the contract of a rate limit store`, () => {
    async function makeStore(bans?: Partial<BanRules>, monotonicMs = () => 0): Promise<RateLimitStore> {
      return makeStoreBy(bans, monotonicMs);
    }

    /** A caller of a new store, and what the store knows of them. */
    async function newCaller(plan: RatePlan = free, bans?: Partial<BanRules>) {
      let passedMs = 0;
      const store = await makeStore(bans, () => passedMs);
      return {
        ...aCaller(store, plan),
        store,
        usage: (nowMs = NOON) => usageOf(store, nowMs),
        liftBan: async (atMs: number) => store.liftBan('key-7', atMs),
        /** Lets time pass by the clock that nobody sets. */
        pass: (ms: number) => (passedMs += ms),
      };
    }

    it('counts a request in both windows', async () => {
      const { consume } = await newCaller();
      expect(await consume()).toEqual({
        plan: free,
        allowed: true,
        code: null,
        ban: null,
        minute: 59,
        minuteResetSeconds: 60,
        day: 999,
        windows: [
          { name: 'minute', limit: 60, remaining: 59, resetSeconds: 60 },
          { name: 'day', limit: 1_000, remaining: 999, resetSeconds: 43_200 },
        ],
        binding: free[0],
        limit: 60,
        remaining: 59,
        resetAtSeconds: NOON / SECOND + 60,
        retryAfterSeconds: 0,
      });
    });

    it('refuses what exceeds the minute, and says when it ends', async () => {
      const { consume, consumeTimes } = await newCaller();
      expect(await consumeTimes(60)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await consume(NOON + 17_500)).toMatchObject({
        allowed: false,
        code: 'rate_limit_exceeded',
        limit: 60,
        remaining: 0,
        resetAtSeconds: NOON / SECOND + 60,
        retryAfterSeconds: 43,
        minuteResetSeconds: 43,
        day: 940,
      });
    });

    it('says what would be decided, and counts nothing', async () => {
      const { consume, consumeTimes, peek, usage } = await newCaller(planOf(2, 100));
      expect(peek()).toMatchObject({ allowed: true, remaining: 2, day: 100 });
      await consume();
      expect(peek()).toMatchObject({ allowed: true, remaining: 1, day: 99 });
      await consume();
      expect(peek()).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 60 });
      await consumeTimes(20);
      const banned = { code: 'api_key_banned', retryAfterSeconds: 59, ban: { began: false, seconds: 59 } };
      expect(peek(NOON + SECOND)).toMatchObject(banned);
      expect(peek(NOON + MINUTE)).toMatchObject({ allowed: true, remaining: 2, day: 98 });
      expect(await usage(NOON + MINUTE)).toMatchObject({ minute: 0, day: 2 });
    });

    it('says after midnight that the whole day is left, before anything is counted in it', async () => {
      const { consumeTimes, peek } = await newCaller(planOf(10, 3));
      await consumeTimes(3, MIDNIGHT - MINUTE);
      expect(peek(MIDNIGHT)).toMatchObject({ allowed: true, remaining: 3, day: 3 });
    });

    it('refuses what exceeds the day, until midnight in UTC', async () => {
      const { consume, consumeTimes } = await newCaller(planOf(10, 3));
      const exhausted = { limit: 3, remaining: 0, resetAtSeconds: MIDNIGHT / SECOND };
      expect(await consumeTimes(3, MIDNIGHT - 90_500)).toMatchObject(exhausted);
      expect(await consume(MIDNIGHT - 90_500)).toMatchObject({
        ...exhausted,
        code: 'daily_quota_exceeded',
        retryAfterSeconds: 91,
        minute: 7,
      });
      expect(await consume(MIDNIGHT - 1)).toMatchObject({ retryAfterSeconds: 1 });
      expect(await consume(MIDNIGHT)).toMatchObject({ allowed: true, day: 2 });
    });

    it.each([planOf(5, 5), planOf(5, 5).toReversed()])(
      'names the day when both windows have as little left, or end together',
      async (...plan) => {
        const { consumeTimes } = await newCaller(plan);
        expect(await consumeTimes(3)).toMatchObject({ remaining: 2, resetAtSeconds: MIDNIGHT / SECOND });
        const late = await newCaller(plan);
        expect(await late.consumeTimes(6, MIDNIGHT - MINUTE)).toMatchObject({ code: 'daily_quota_exceeded' });
      },
    );

    it('names the window that refuses, and of two of one length that of the plan', async () => {
      const small = { name: 'burst', limit: 4, seconds: 10 };
      const { consume, on } = await newCaller([{ name: 'hour', limit: 5, seconds: 3_600 }, small]);
      await consume(NOON, 3);
      expect(await consume(NOON, 2)).toMatchObject({ allowed: false, binding: small });
      const searching = on([small, { ...small, limit: 1, budget: 'search' }]);
      expect(await searching.consume()).toMatchObject({ remaining: 0, binding: small });
    });

    it('counts every subject on its own', async () => {
      const { consumeTimes, store } = await newCaller();
      await consumeTimes(60);
      expect(await aCaller(store, free, 'key-8').consume()).toMatchObject({ remaining: 59 });
    });

    it('lets through exactly the limit of many requests at once', async () => {
      const { consumeAtOnce } = await newCaller();
      expect((await consumeAtOnce(75)).filter(({ allowed }) => allowed)).toHaveLength(60);
    });

    it('applies a changed plan to what was used already', async () => {
      const { consumeTimes, on } = await newCaller();
      await consumeTimes(60);
      expect(await on(planOf(300, 10_000)).consume()).toMatchObject({
        allowed: true,
        minute: 239,
        day: 9_939,
      });
      expect(await on(planOf(10, 50)).consume()).toMatchObject({
        code: 'daily_quota_exceeded',
        remaining: 0,
      });
    });

    it('counts callers of one subject together, and limits each by its own plan', async () => {
      const { consume, consumeTimes, on } = await newCaller();
      const other = on(planOf(100, 1_000));
      await consumeTimes(40);
      expect(await other.consumeTimes(40)).toMatchObject({
        allowed: true,
        minute: 20,
        day: 920,
      });
      expect(await consume()).toMatchObject({
        code: 'rate_limit_exceeded',
        minute: 0,
        day: 920,
      });
      expect(await other.consumeTimes(20)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await other.consume()).toMatchObject({ code: 'rate_limit_exceeded' });
    });

    it('lets through exactly the larger limit of many requests at once of callers with different plans', async () => {
      const { consumeAtOnce, on } = await newCaller(planOf(30, 1_000));
      const bursts = await Promise.all([consumeAtOnce(40), on(planOf(60, 1_000)).consumeAtOnce(80)]);
      expect(bursts.flat().filter(({ allowed }) => allowed)).toHaveLength(60);
    });

    it('bans every caller of a subject, by the plan of the one that is refused', async () => {
      const { consumeTimes, on } = await newCaller(planOf(10, 1_000));
      expect(await consumeTimes(30)).toMatchObject({ ban: { began: true } });
      expect(await on(planOf(300, 1_000)).consume()).toMatchObject({ code: 'api_key_banned' });
    });

    describe('windows that are a list', () => {
      const burst = { name: 'burst', limit: 5, seconds: 10 };
      const hour = { name: 'hour', limit: 8, seconds: 3_600 };
      const today = { name: 'today', limit: 9, seconds: 'day' as const };
      const plan: RatePlan = [burst, hour, today];

      it('are all counted, and the one with the fewest left binds', async () => {
        const { consume } = await newCaller(plan);
        await consume();
        expect(await consume(NOON + SECOND)).toEqual({
          plan,
          allowed: true,
          code: null,
          ban: null,
          minute: undefined,
          minuteResetSeconds: undefined,
          day: undefined,
          windows: [
            { name: 'burst', limit: 5, remaining: 3, resetSeconds: 9 },
            { name: 'hour', limit: 8, remaining: 6, resetSeconds: 3_599 },
            { name: 'today', limit: 9, remaining: 7, resetSeconds: 43_199 },
          ],
          binding: burst,
          limit: 5,
          remaining: 3,
          resetAtSeconds: NOON / SECOND + 10,
          retryAfterSeconds: 0,
        });
      });

      it('of two budgets are counted apart, and with the plan in one step', async () => {
        const { on } = await newCaller(free);
        const search = on([...free, { ...burst, budget: 'search' }]);
        const export_ = on([...free, { ...burst, budget: 'export' }]);
        expect(await search.consumeTimes(6)).toMatchObject({ code: 'rate_limit_exceeded', minute: 55 });
        expect(await export_.consume()).toMatchObject({ allowed: true, minute: 54 });
        expect(await on(free).consume()).toMatchObject({ allowed: true, minute: 53 });
      });

      it('of several plans of one subject count together when they have one length', async () => {
        const { consumeTimes, on } = await newCaller([burst]);
        await consumeTimes(4);
        const larger = on([{ name: 'more', limit: 7, seconds: 10 }, hour]);
        expect(await larger.consume()).toMatchObject({ windows: [{ remaining: 2 }, { remaining: 7 }] });
      });

      it('are in the usage while they run, with the budget that they belong to', async () => {
        const { consumeTimes, on, store } = await newCaller(plan);
        await consumeTimes(2);
        await on([{ ...hour, budget: 'search' }]).consume(NOON + SECOND);
        const shown = [
          { budget: null, seconds: 10, used: 2, resetsAtMs: NOON + 10 * SECOND },
          { budget: null, seconds: 3_600, used: 2, resetsAtMs: NOON + HOUR },
          { budget: null, seconds: 'day', used: 2, resetsAtMs: MIDNIGHT },
          { budget: 'search', seconds: 3_600, used: 1, resetsAtMs: NOON + HOUR + SECOND },
        ];
        const at = async (nowMs: number) => (await store.usage('key-7', nowMs)).windows;
        const inAnyOrder = (windows: object[]) => expect.arrayContaining(windows) as object[];
        expect(await at(NOON + SECOND)).toHaveLength(4);
        expect(await at(NOON + SECOND)).toEqual(inAnyOrder(shown));
        expect(await at(NOON + 11 * SECOND)).toHaveLength(3);
        expect(await at(NOON + 11 * SECOND)).toEqual(inAnyOrder(shown.slice(1)));
      });

      it('of a long length outlast those of other requests', async () => {
        const { consume, on, pass } = await newCaller([hour]);
        await consume();
        for (const atMs of [MINUTE, 2 * MINUTE, 3 * MINUTE]) {
          pass(MINUTE);
          await on(address).consume(NOON + atMs);
        }
        expect(await consume(NOON + 4 * MINUTE)).toMatchObject({ remaining: 6 });
      });

      it('show a ban in the first of them, and are banned by what the shortest has in a minute', async () => {
        const { consume, consumeTimes } = await newCaller([hour, { ...burst, limit: 8 }]);
        expect(await consumeTimes(8 + 23)).toMatchObject({ code: 'rate_limit_exceeded' });
        expect(await consume()).toMatchObject({
          code: 'api_key_banned',
          ban: { began: true },
          limit: 8,
          remaining: 0,
        });
        expect(await consume(NOON + 30 * SECOND)).toMatchObject({
          windows: [
            { name: 'hour', remaining: 0 },
            { name: 'burst', remaining: 8 },
          ],
        });
      });
    });

    it('limits nothing of a plan without windows', async () => {
      const { consumeTimes, usage } = await newCaller([]);
      expect(await consumeTimes(2_000)).toMatchObject({ allowed: true, limit: Infinity, windows: [] });
      expect(await usage()).toEqual({ minute: 0, day: 0, ban: null });
    });

    describe('of several callers that share a subject', () => {
      const plan = planOf(10, 1_000);

      it('counts the refusals of each, and bans the one that continues', async () => {
        const { as, store } = await newCaller(plan);
        const [one, other] = [as('till'), as('dashboard')];
        expect(await one.consumeTimes(10 + 19)).toMatchObject({ code: 'rate_limit_exceeded', ban: null });
        expect(await other.consumeTimes(19)).toMatchObject({ code: 'rate_limit_exceeded', ban: null });
        expect(await other.consume()).toMatchObject({
          code: 'api_key_banned',
          ban: { began: true, refusals: 20 },
        });
        expect(await one.consume()).toMatchObject({
          code: 'api_key_banned',
          ban: { began: true },
        });
        expect(await usageOf(store, NOON, 'key-7', 'dashboard')).toMatchObject({ ban: { sinceMs: NOON } });
        expect(await usageOf(store, NOON, 'key-7', 'shop')).toMatchObject({ minute: 10, ban: null });
        expect(await as('shop').consume(NOON + MINUTE)).toMatchObject({ allowed: true, minute: 9 });
      });

      it('lifts the ban of one, and of no other', async () => {
        const { as, store } = await newCaller(plan);
        const [one, other] = [as('till'), as('dashboard')];
        await one.consumeTimes(10 + 20);
        await other.consumeTimes(20);
        await store.liftBan('key-7', NOON, 'till');
        expect(await one.consume(NOON + SECOND)).toMatchObject({ code: 'rate_limit_exceeded' });
        expect(await other.consume(NOON + SECOND)).toMatchObject({ code: 'api_key_banned' });
      });

      it('remembers each ban, however many callers there are', async () => {
        const { as } = await newCaller(planOf(1, 1_000), { minRefusals: 1 });
        const callers = Array.from({ length: 150 }, (_, index) => as(`caller ${index}`));
        await callers[0]!.consume();
        for (const caller of callers)
          expect(await caller.consume()).toMatchObject({ ban: { began: true }, retryAfterSeconds: 60 });
        for (const caller of callers)
          expect(await caller.consume(NOON + SECOND)).toMatchObject({ ban: { began: false } });
      });
    });

    describe('bans', () => {
      it('bans with the 20th refused request of a minute, for 60 seconds', async () => {
        const { consume, consumeTimes, usage } = await newCaller(planOf(10, 1_000));
        await consumeTimes(10);
        expect(await consumeTimes(19, NOON + SECOND)).toMatchObject({
          code: 'rate_limit_exceeded',
          ban: null,
        });
        expect(await consume(NOON + 30 * SECOND)).toMatchObject({
          code: 'api_key_banned',
          ban: { began: true, seconds: 60 },
          limit: 10,
          remaining: 0,
          retryAfterSeconds: 60,
          resetAtSeconds: NOON / SECOND + 90,
          minute: 0,
          minuteResetSeconds: 60,
          day: 990,
        });
        expect(await consume(NOON + 31 * SECOND)).toMatchObject({
          code: 'api_key_banned',
          ban: { began: false },
        });
        expect(await usage(NOON + 31 * SECOND)).toMatchObject({
          ban: { sinceMs: NOON + 30 * SECOND, untilMs: NOON + 90 * SECOND, refusals: 20 },
        });
      });

      it('counts refused requests over a minute from the first of them', async () => {
        const { consume, consumeTimes } = await newCaller(planOf(40, 1));
        await consume();
        await consumeTimes(10);
        await consumeTimes(9, NOON + 30 * SECOND);
        expect(await consumeTimes(19, NOON + MINUTE)).toMatchObject({ ban: null });
        expect(await consume(NOON + 2 * MINUTE - 1)).toMatchObject({ ban: { began: true } });
      });

      it('lasts twice as long each time within 24 hours, up to an hour', async () => {
        const { consumeTimes } = await newCaller(address);
        const lengths: number[] = [];
        for (let nowMs = NOON; lengths.length < 8; nowMs += HOUR) {
          const { retryAfterSeconds } = await consumeTimes(UNTIL_BANNED, nowMs);
          lengths.push(retryAfterSeconds);
        }
        expect(lengths).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
      });

      it('forgets a ban 24 hours after it began', async () => {
        const { consumeTimes } = await newCaller(address);
        await consumeTimes(UNTIL_BANNED);
        expect((await consumeTimes(UNTIL_BANNED, NOON + DAY - 1)).retryAfterSeconds).toBe(120);
        expect((await consumeTimes(UNTIL_BANNED, NOON + 2 * DAY - 1)).retryAfterSeconds).toBe(60);
      });

      it('has its first length however long bans are remembered', async () => {
        const { consumeTimes } = await newCaller(address, { memoryMs: Number.MAX_SAFE_INTEGER });
        expect((await consumeTimes(UNTIL_BANNED)).retryAfterSeconds).toBe(60);
      });

      it('ends when it is lifted, and counts as if it had not been', async () => {
        const { consume, consumeTimes, liftBan, usage } = await newCaller(address);
        await consumeTimes(UNTIL_BANNED);
        await liftBan(NOON + SECOND);
        expect(await usage(NOON + SECOND)).toMatchObject({ ban: null });
        expect(await consume(NOON + SECOND)).toMatchObject({ code: 'rate_limit_exceeded' });
        expect(await consumeTimes(UNTIL_BANNED, NOON + MINUTE + SECOND)).toMatchObject({
          retryAfterSeconds: 60,
        });
      });

      it('stays when the lift was meant for an earlier one', async () => {
        const { consume, consumeTimes, liftBan } = await newCaller();
        await consumeTimes(UNTIL_BANNED);
        await liftBan(NOON - 1);
        expect(await consume(NOON + SECOND)).toMatchObject({ code: 'api_key_banned' });
      });

      it('of a subject nobody knows is lifted without harm', async () => {
        const { liftBan, usage } = await newCaller();
        await liftBan(NOON);
        expect(await usage()).toEqual({ minute: 0, day: 0, ban: null });
      });
    });

    describe('when the clock is set', () => {
      const days = planOf(100, 3);

      it('opens no minute again, back an hour and forward', async () => {
        const { consume, consumeTimes, pass, store } = await newCaller(address);
        await consumeTimes(60);
        pass(10 * SECOND);
        const [late, right] = [NOON - HOUR, NOON + 10 * SECOND];
        for (const clockMs of [late, late, right, late, right]) {
          expect(await consume(clockMs)).toMatchObject({
            code: 'rate_limit_exceeded',
            retryAfterSeconds: 50,
            resetAtSeconds: clockMs / SECOND + 50,
          });
          const { windows } = await store.usage('key-7', clockMs);
          expect(windows).toMatchObject([{ resetsAtMs: clockMs + 50 * SECOND }]);
        }
      });

      it('opens no day again, back three days and forward', async () => {
        const { consume, consumeTimes, pass } = await newCaller(days);
        await consumeTimes(3);
        pass(HOUR);
        for (const clockMs of [NOON - 3 * DAY, NOON + HOUR, NOON - 2 * DAY, NOON + HOUR]) {
          expect(await consume(clockMs)).toMatchObject({
            code: 'daily_quota_exceeded',
            retryAfterSeconds: 39_600,
          });
        }
      });

      it('opens a new day when that begins, also for a clock that is three days behind', async () => {
        const { consume, consumeTimes, pass } = await newCaller(days);
        await consumeTimes(3);
        pass(12 * HOUR - 1);
        expect(await consume(MIDNIGHT - 1 - 3 * DAY)).toMatchObject({ allowed: false });
        pass(1);
        expect(await consume(MIDNIGHT - 3 * DAY)).toMatchObject({ allowed: true, day: 2 });
      });

      it('opens no day again over a midnight', async () => {
        const { consume, consumeTimes } = await newCaller(days);
        await consumeTimes(3, MIDNIGHT - SECOND);
        await consumeTimes(3, MIDNIGHT);
        expect(await consume(MIDNIGHT - SECOND)).toMatchObject({ allowed: false });
        expect(await consume(MIDNIGHT + MINUTE)).toMatchObject({ code: 'daily_quota_exceeded' });
      });

      it('neither ends a ban nor makes it longer, and lifts it by the clock', async () => {
        const { consume, consumeTimes, liftBan, pass, usage } = await newCaller(address);
        await consumeTimes(UNTIL_BANNED);
        expect(await consume(NOON - HOUR)).toMatchObject({ code: 'api_key_banned', retryAfterSeconds: 60 });
        expect(await usage(NOON - HOUR)).toMatchObject({
          ban: { sinceMs: NOON - HOUR, untilMs: NOON - HOUR + MINUTE },
        });
        pass(10 * SECOND);
        const later = NOON - HOUR + 10 * SECOND;
        await consume(later);
        await liftBan(later);
        expect(await consume(later)).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 50 });
      });

      it('goes with a clock that is set forward', async () => {
        const { consume, consumeTimes } = await newCaller(address);
        await consumeTimes(60);
        expect(await consume(NOON + HOUR)).toMatchObject({
          allowed: true,
          resetAtSeconds: (NOON + HOUR) / SECOND + 60,
        });
      });
    });

    it('decides any traffic as the naive reference does', async () => {
      await fc.assert(
        fc.asyncProperty(comparison.traffic, async (traffic) => {
          let passedMs = 0;
          const store = await makeStore(traffic.bans, () => passedMs);
          const naive = new NaiveLimiter(traffic.plan, traffic.bans);
          const time = new SteadyTime(() => passedMs);
          const decided: object[] = [];
          const expected: object[] = [];
          await play(
            traffic,
            async (nowMs, elapsedMs, cost) => {
              passedMs = elapsedMs;
              const subject = { id: 'key-7', plan: traffic.plan };
              const { code, retryAfterSeconds, states } = await store.consume(subject, nowMs, cost);
              const left = states.filter((_, index) => index % 2 === 0);
              decided.push({ code, left, retryAfterSeconds });
              const steadyMs = time.at(nowMs);
              const { retryAtMs, ...decision } = naive.request(steadyMs, cost);
              const untilMs = (retryAtMs ?? steadyMs) - steadyMs;
              expected.push({ ...decision, retryAfterSeconds: Math.ceil(untilMs / SECOND) });
            },
            async (nowMs, elapsedMs) => {
              passedMs = elapsedMs;
              // A store reads the time from a request.
              await store.consume({ id: 'key-8', plan: traffic.plan }, nowMs);
              await store.liftBan('key-7', nowMs);
              naive.liftBan(time.at(nowMs));
            },
          );
          // Once, as `expect` takes longer than a request.
          expect(expected).toMatchObject(decided);
        }),
        { numRuns: comparison.runs },
      );
    });
  });
}
