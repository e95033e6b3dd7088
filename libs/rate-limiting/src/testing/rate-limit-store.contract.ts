import fc from 'fast-check';
import type { RateLimitDecision, Usage } from '../stores/plan-window.js';
import type { BanRules } from '../rate-plan.js';
import type { RateLimitStore } from '../rate-limit.store.js';
import { SteadyTime } from '../stores/steady-time.js';
import { NaiveLimiter } from './naive-limiter.js';
import { play, type Traffic } from './traffic.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const NOON = Date.UTC(2030, 2, 1, 12);
const MIDNIGHT = Date.UTC(2030, 2, 2);

const free = { perMinute: 60, perDay: 1_000 };

type CountingStore = RateLimitStore & { usage(subject: string, now: number): Usage | Promise<Usage> };

/**
 * What every RateLimitStore that counts itself has to do, by the caller's clock. `makeStoreBy` returns an empty one each
 * time; the suite that passes it closes what it opened. `monotonicMs` is the clock that nobody sets; time stands still
 * by it unless a test moves it.
 *
 * @param comparison which random traffic to compare with the naive reference, and how much of it
 */
export function describeRateLimitStore(
  name: string,
  makeStoreBy: (
    bans: Partial<BanRules> | undefined,
    monotonicMs: () => number,
  ) => CountingStore | Promise<CountingStore>,
  comparison: { traffic: fc.Arbitrary<Traffic>; runs: number },
): void {
  describe(`${name} passes the contract of a rate limit store`, () => {
    async function makeStore(bans?: Partial<BanRules>, monotonicMs = () => 0): Promise<CountingStore> {
      return makeStoreBy(bans, monotonicMs);
    }

    /** A store, and how to let time pass by the clock that nobody sets. */
    async function makeTimedStore(): Promise<{ store: CountingStore; pass: (ms: number) => void }> {
      let passedMs = 0;
      return { store: await makeStore({}, () => passedMs), pass: (ms) => (passedMs += ms) };
    }

    async function consumeTimes(
      store: RateLimitStore,
      times: number,
      plan: { perMinute: number; perDay: number | null },
      nowMs: number,
    ): Promise<RateLimitDecision> {
      let last: RateLimitDecision | undefined;
      for (let i = 0; i < times; i++) last = await store.consume({ id: 'key-7', plan }, nowMs);
      return last!;
    }

    it('counts a request in both windows', async () => {
      const store = await makeStore();
      expect(await store.consume({ id: 'key-7', plan: free }, NOON)).toEqual({
        plan: free,
        allowed: true,
        code: null,
        banBegan: false,
        minuteRemaining: 59,
        minuteResetSeconds: 60,
        dayRemaining: 999,
        dayResetSeconds: 43_200,
        limit: 60,
        remaining: 59,
        resetAtSeconds: NOON / SECOND + 60,
        retryAfterSeconds: 0,
      });
    });

    it('counts a request that costs more as that many, in both windows', async () => {
      const store = await makeStore();
      expect(await store.consume({ id: 'key-7', plan: free }, NOON, 5)).toMatchObject({
        minuteRemaining: 55,
        dayRemaining: 995,
      });
    });

    it('refuses a request that costs more than is left, counts nothing of it, and has room for a cheaper one', async () => {
      const store = await makeStore();
      const plan = { perMinute: 6, perDay: 1_000 };
      await store.consume({ id: 'key-7', plan }, NOON, 4);
      expect(await store.consume({ id: 'key-7', plan }, NOON + SECOND, 3)).toMatchObject({
        code: 'rate_limit_exceeded',
        minuteRemaining: 2,
        dayRemaining: 996,
        retryAfterSeconds: 59,
      });
      expect(await store.consume({ id: 'key-7', plan }, NOON + SECOND, 2)).toMatchObject({
        allowed: true,
        minuteRemaining: 0,
      });
    });

    it('sends a request that costs more than is left of the day to midnight, and of both windows to the later', async () => {
      const store = await makeStore();
      const plan = { perMinute: 6, perDay: 7 };
      await store.consume({ id: 'key-7', plan }, NOON, 5);
      expect(await store.consume({ id: 'key-7', plan }, NOON, 3)).toMatchObject({
        code: 'daily_quota_exceeded',
        limit: 7,
        remaining: 2,
        retryAfterSeconds: 43_200,
      });
    });

    it('refuses what exceeds the minute, and says when it is over', async () => {
      const store = await makeStore();
      expect(await consumeTimes(store, 60, free, NOON)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await store.consume({ id: 'key-7', plan: free }, NOON + 17_500)).toMatchObject({
        allowed: false,
        code: 'rate_limit_exceeded',
        limit: 60,
        remaining: 0,
        resetAtSeconds: NOON / SECOND + 60,
        retryAfterSeconds: 43,
        minuteResetSeconds: 43,
        dayRemaining: 940,
      });
    });

    it('starts a minute with its first request, not with the clock', async () => {
      const store = await makeStore();
      await store.consume({ id: 'key-7', plan: free }, NOON + 50 * SECOND);
      expect(await consumeTimes(store, 59, free, NOON + 109 * SECOND)).toMatchObject({ remaining: 0 });
      expect(await store.consume({ id: 'key-7', plan: free }, NOON + 110 * SECOND - 1)).toMatchObject({
        allowed: false,
      });
      expect(await store.consume({ id: 'key-7', plan: free }, NOON + 110 * SECOND)).toMatchObject({
        allowed: true,
        minuteRemaining: 59,
        minuteResetSeconds: 60,
      });
    });

    it('says what would be decided, and counts nothing', async () => {
      const store = await makeStore();
      const plan = { perMinute: 2, perDay: 100 };
      const subject = { id: 'key-7', plan };
      expect(store.peek(subject, NOON)).toMatchObject({ allowed: true, remaining: 2, dayRemaining: 100 });
      await consumeTimes(store, 1, plan, NOON);
      expect(store.peek(subject, NOON)).toMatchObject({ allowed: true, remaining: 1, dayRemaining: 99 });
      await consumeTimes(store, 1, plan, NOON);
      expect(store.peek(subject, NOON)).toMatchObject({
        allowed: false,
        code: 'rate_limit_exceeded',
        retryAfterSeconds: 60,
      });
      await consumeTimes(store, 20, plan, NOON);
      expect(store.peek(subject, NOON + SECOND)).toMatchObject({
        allowed: false,
        code: 'api_key_banned',
        retryAfterSeconds: 59,
      });
      expect(store.peek(subject, NOON + MINUTE)).toMatchObject({
        allowed: true,
        remaining: 2,
        dayRemaining: 98,
      });
      expect(await store.usage('key-7', NOON + MINUTE)).toMatchObject({ minute: null, day: { used: 2 } });
    });

    it('refuses what exceeds the day, until midnight in UTC', async () => {
      const store = await makeStore();
      const plan = { perMinute: 10, perDay: 3 };
      expect(await consumeTimes(store, 3, plan, MIDNIGHT - 90_500)).toMatchObject({
        limit: 3,
        remaining: 0,
        resetAtSeconds: MIDNIGHT / SECOND,
      });
      expect(await store.consume({ id: 'key-7', plan }, MIDNIGHT - 90_500)).toMatchObject({
        code: 'daily_quota_exceeded',
        limit: 3,
        remaining: 0,
        resetAtSeconds: MIDNIGHT / SECOND,
        retryAfterSeconds: 91,
        minuteRemaining: 7,
      });
      expect(await store.consume({ id: 'key-7', plan }, MIDNIGHT - 1)).toMatchObject({
        retryAfterSeconds: 1,
      });
      expect(await store.consume({ id: 'key-7', plan }, MIDNIGHT)).toMatchObject({
        allowed: true,
        dayRemaining: 2,
      });
    });

    it('names the day when both windows have as little left', async () => {
      const store = await makeStore();
      const plan = { perMinute: 5, perDay: 5 };
      expect(await consumeTimes(store, 3, plan, NOON)).toMatchObject({
        limit: 5,
        remaining: 2,
        resetAtSeconds: MIDNIGHT / SECOND,
      });
    });

    it('points a refused request to the exhausted window that resets last', async () => {
      const store = await makeStore();
      const plan = { perMinute: 2, perDay: 2 };
      expect(await consumeTimes(store, 3, plan, NOON)).toMatchObject({
        code: 'daily_quota_exceeded',
        limit: 2,
      });

      const justBefore = MIDNIGHT - 10 * SECOND;
      const late = await makeStore();
      expect(await consumeTimes(late, 3, plan, justBefore)).toMatchObject({
        code: 'rate_limit_exceeded',
        resetAtSeconds: MIDNIGHT / SECOND + 50,
        retryAfterSeconds: 60,
      });
    });

    it('charges a refused request to neither window', async () => {
      const store = await makeStore();
      const plan = { perMinute: 2, perDay: 100 };
      await consumeTimes(store, 12, plan, NOON);
      expect(await store.usage('key-7', NOON)).toEqual({
        minute: { used: 2, resetsAtMs: NOON + MINUTE },
        day: { used: 2, resetsAtMs: MIDNIGHT },
        ban: null,
      });
      expect(await store.consume({ id: 'key-7', plan }, NOON + MINUTE)).toMatchObject({
        minuteRemaining: 1,
        dayRemaining: 97,
      });
    });

    it('limits only the minute of a plan without a day', async () => {
      const store = await makeStore();
      const plan = { perMinute: 2, perDay: null };
      expect(await consumeTimes(store, 2, plan, NOON)).toMatchObject({
        dayRemaining: null,
        limit: 2,
        remaining: 0,
      });
      expect(await store.consume({ id: 'key-7', plan }, NOON)).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(await store.consume({ id: 'key-7', plan }, NOON + MINUTE)).toMatchObject({ allowed: true });
    });

    it('counts every subject on its own', async () => {
      const store = await makeStore();
      await consumeTimes(store, 60, free, NOON);
      expect(await store.consume({ id: 'key-8', plan: free }, NOON)).toMatchObject({ remaining: 59 });
    });

    it('lets through exactly the limit of many requests at once', async () => {
      const store = await makeStore();
      const decisions = await Promise.all(
        Array.from({ length: 75 }, async () => store.consume({ id: 'key-7', plan: free }, NOON)),
      );
      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(60);
    });

    it('applies a changed plan to what was used already', async () => {
      const store = await makeStore();
      await consumeTimes(store, 60, free, NOON);
      expect(
        await store.consume({ id: 'key-7', plan: { perMinute: 300, perDay: 10_000 } }, NOON),
      ).toMatchObject({
        allowed: true,
        minuteRemaining: 239,
        dayRemaining: 9_939,
      });
      expect(await store.consume({ id: 'key-7', plan: { perMinute: 10, perDay: 50 } }, NOON)).toMatchObject({
        code: 'daily_quota_exceeded',
        remaining: 0,
      });
    });

    describe('bans', () => {
      it('bans with the 20th refused request of a minute, for 60 seconds', async () => {
        const store = await makeStore();
        const plan = { perMinute: 10, perDay: 1_000 };
        await consumeTimes(store, 10, plan, NOON);
        expect(await consumeTimes(store, 19, plan, NOON + SECOND)).toMatchObject({
          code: 'rate_limit_exceeded',
          banBegan: false,
        });
        expect(await store.consume({ id: 'key-7', plan }, NOON + 30 * SECOND)).toMatchObject({
          code: 'api_key_banned',
          banBegan: true,
          limit: 10,
          remaining: 0,
          retryAfterSeconds: 60,
          resetAtSeconds: NOON / SECOND + 90,
          minuteRemaining: 0,
          minuteResetSeconds: 60,
          dayRemaining: 990,
        });
        expect(await store.consume({ id: 'key-7', plan }, NOON + 31 * SECOND)).toMatchObject({
          code: 'api_key_banned',
          banBegan: false,
        });
        expect(await store.usage('key-7', NOON + 31 * SECOND)).toMatchObject({
          ban: { sinceMs: NOON + 30 * SECOND, untilMs: NOON + 90 * SECOND },
        });
      });

      it('bans a fast plan only with half its requests a minute refused', async () => {
        const store = await makeStore();
        const plan = { perMinute: 101, perDay: null };
        expect(await consumeTimes(store, 101 + 50, plan, NOON)).toMatchObject({
          code: 'rate_limit_exceeded',
        });
        expect(await store.consume({ id: 'key-7', plan }, NOON)).toMatchObject({ code: 'api_key_banned' });
      });

      it('does not ban for refused requests more than a minute apart', async () => {
        const store = await makeStore();
        const plan = { perMinute: 5, perDay: 5 };
        await consumeTimes(store, 5 + 19, plan, NOON);
        expect(await consumeTimes(store, 19, plan, NOON + MINUTE)).toMatchObject({
          code: 'daily_quota_exceeded',
        });
      });

      it('is not lengthened by requests that come during the ban', async () => {
        const store = await makeStore();
        await consumeTimes(store, 60 + 30, free, NOON);
        expect(await consumeTimes(store, 100, free, NOON + 59 * SECOND)).toMatchObject({
          code: 'api_key_banned',
          retryAfterSeconds: 1,
        });
        expect(await store.consume({ id: 'key-7', plan: free }, NOON + MINUTE)).toMatchObject({
          allowed: true,
          minuteRemaining: 59,
        });
      });

      it('lasts twice as long each time within 24 hours, up to an hour', async () => {
        const store = await makeStore();
        const lengths: number[] = [];
        for (let nowMs = NOON; lengths.length < 8; nowMs += HOUR) {
          const { retryAfterSeconds } = await consumeTimes(
            store,
            60 + 30,
            { perMinute: 60, perDay: null },
            nowMs,
          );
          lengths.push(retryAfterSeconds);
        }
        expect(lengths).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
      });

      it('forgets a ban 24 hours after it began', async () => {
        const store = await makeStore();
        const plan = { perMinute: 60, perDay: null };
        await consumeTimes(store, 60 + 30, plan, NOON);
        expect(await consumeTimes(store, 60 + 30, plan, NOON + DAY - 1)).toMatchObject({
          retryAfterSeconds: 120,
        });
        expect(await consumeTimes(store, 60 + 30, plan, NOON + 2 * DAY)).toMatchObject({
          retryAfterSeconds: 60,
        });
      });

      it('takes its four numbers from the settings', async () => {
        const store = await makeStore({
          minRefusals: 2,
          firstBanMs: 5_000,
          longestBanMs: 8_000,
          memoryMs: MINUTE,
        });
        const plan = { perMinute: 1, perDay: null };
        expect(await consumeTimes(store, 1 + 2, plan, NOON)).toMatchObject({ code: 'api_key_banned' });
        expect(await store.usage('key-7', NOON)).toMatchObject({ ban: { untilMs: NOON + 5_000 } });
        await consumeTimes(store, 2, plan, NOON + 5_000);
        expect(await store.usage('key-7', NOON + 5_000)).toMatchObject({ ban: { untilMs: NOON + 13_000 } });
        await consumeTimes(store, 1 + 2, plan, NOON + 65_000);
        expect(await store.usage('key-7', NOON + 65_000)).toMatchObject({ ban: { untilMs: NOON + 70_000 } });
      });

      it('sends a banned caller with an exhausted day to midnight', async () => {
        const store = await makeStore();
        const plan = { perMinute: 10, perDay: 5 };
        expect(await consumeTimes(store, 5 + 20, plan, NOON)).toMatchObject({
          code: 'api_key_banned',
          limit: 5,
          resetAtSeconds: MIDNIGHT / SECOND,
          retryAfterSeconds: 43_200,
          minuteResetSeconds: 60,
        });
      });

      it('ends when it is lifted, and counts as if it had not been', async () => {
        const store = await makeStore();
        const plan = { perMinute: 60, perDay: null };
        await consumeTimes(store, 60 + 30, plan, NOON);
        await store.liftBan('key-7', NOON + SECOND);
        expect(await store.usage('key-7', NOON + SECOND)).toMatchObject({ ban: null });
        expect(await store.consume({ id: 'key-7', plan }, NOON + SECOND)).toMatchObject({
          code: 'rate_limit_exceeded',
        });
        expect(await consumeTimes(store, 60 + 30, plan, NOON + MINUTE + SECOND)).toMatchObject({
          retryAfterSeconds: 60,
        });
      });

      it('stays when the lift was meant for an earlier one', async () => {
        const store = await makeStore();
        await consumeTimes(store, 60 + 30, free, NOON);
        await store.liftBan('key-7', NOON - 1);
        expect(await store.consume({ id: 'key-7', plan: free }, NOON + SECOND)).toMatchObject({
          code: 'api_key_banned',
        });
      });

      it('of a subject nobody knows is lifted without harm', async () => {
        const store = await makeStore();
        await store.liftBan('key-9', NOON);
        expect(await store.usage('key-9', NOON)).toEqual({
          minute: null,
          day: { used: 0, resetsAtMs: MIDNIGHT },
          ban: null,
        });
      });
    });

    describe('when somebody sets the clock', () => {
      const address = { perMinute: 60, perDay: null };

      it('opens no minute again, back an hour and forward', async () => {
        const { store, pass } = await makeTimedStore();
        await consumeTimes(store, 60, address, NOON);
        pass(10 * SECOND);
        for (const clockMs of [
          NOON - HOUR,
          NOON - HOUR,
          NOON + 10 * SECOND,
          NOON - HOUR,
          NOON + 10 * SECOND,
        ]) {
          expect(await store.consume({ id: 'key-7', plan: address }, clockMs)).toMatchObject({
            code: 'rate_limit_exceeded',
            retryAfterSeconds: 50,
            resetAtSeconds: clockMs / SECOND + 50,
          });
        }
      });

      it('lets a minute end when it is over, whatever the clock shows', async () => {
        const { store, pass } = await makeTimedStore();
        await consumeTimes(store, 60, address, NOON);
        expect(await store.consume({ id: 'key-7', plan: address }, NOON - HOUR)).toMatchObject({
          allowed: false,
        });
        pass(MINUTE - 1);
        expect(await store.consume({ id: 'key-7', plan: address }, NOON - HOUR + MINUTE - 1)).toMatchObject({
          allowed: false,
          retryAfterSeconds: 1,
        });
        pass(1);
        expect(await store.consume({ id: 'key-7', plan: address }, NOON - HOUR + MINUTE)).toMatchObject({
          allowed: true,
          remaining: 59,
          resetAtSeconds: (NOON - HOUR) / SECOND + 120,
        });
      });

      it('opens no day again, back three days and forward', async () => {
        const { store, pass } = await makeTimedStore();
        const plan = { perMinute: 100, perDay: 3 };
        await consumeTimes(store, 3, plan, NOON);
        pass(HOUR);
        for (const clockMs of [NOON - 3 * DAY, NOON + HOUR, NOON - 2 * DAY, NOON + HOUR]) {
          expect(await store.consume({ id: 'key-7', plan }, clockMs)).toMatchObject({
            code: 'daily_quota_exceeded',
            retryAfterSeconds: 39_600,
          });
        }
      });

      it('opens a new day when that begins, also for a clock that is three days behind', async () => {
        const { store, pass } = await makeTimedStore();
        const plan = { perMinute: 100, perDay: 3 };
        await consumeTimes(store, 3, plan, NOON);
        pass(12 * HOUR - 1);
        expect(await store.consume({ id: 'key-7', plan }, MIDNIGHT - 1 - 3 * DAY)).toMatchObject({
          allowed: false,
        });
        pass(1);
        expect(await store.consume({ id: 'key-7', plan }, MIDNIGHT - 3 * DAY)).toMatchObject({
          allowed: true,
          dayRemaining: 2,
        });
      });

      it('opens no day again over a midnight', async () => {
        const { store } = await makeTimedStore();
        const plan = { perMinute: 100, perDay: 3 };
        await consumeTimes(store, 3, plan, MIDNIGHT - SECOND);
        await consumeTimes(store, 3, plan, MIDNIGHT);
        expect(await store.consume({ id: 'key-7', plan }, MIDNIGHT - SECOND)).toMatchObject({
          allowed: false,
        });
        expect(await store.consume({ id: 'key-7', plan }, MIDNIGHT + MINUTE)).toMatchObject({
          code: 'daily_quota_exceeded',
        });
      });

      it('neither ends a ban nor makes it longer, and lifts it by the clock', async () => {
        const { store, pass } = await makeTimedStore();
        await consumeTimes(store, 60 + 30, address, NOON);
        expect(await store.consume({ id: 'key-7', plan: address }, NOON - HOUR)).toMatchObject({
          code: 'api_key_banned',
          retryAfterSeconds: 60,
        });
        expect(await store.usage('key-7', NOON - HOUR)).toMatchObject({
          ban: { sinceMs: NOON - HOUR, untilMs: NOON - HOUR + MINUTE },
        });
        pass(10 * SECOND);
        await store.consume({ id: 'key-7', plan: address }, NOON - HOUR + 10 * SECOND);
        await store.liftBan('key-7', NOON - HOUR + 10 * SECOND);
        expect(await store.consume({ id: 'key-7', plan: address }, NOON - HOUR + 10 * SECOND)).toMatchObject({
          code: 'rate_limit_exceeded',
          retryAfterSeconds: 50,
        });
      });

      it('goes with a clock that is set forward', async () => {
        const { store } = await makeTimedStore();
        await consumeTimes(store, 60, address, NOON);
        expect(await store.consume({ id: 'key-7', plan: address }, NOON + HOUR)).toMatchObject({
          allowed: true,
          resetAtSeconds: (NOON + HOUR) / SECOND + 60,
        });
      });
    });

    it('decides any traffic as the naive reference does', async () => {
      await fc.assert(
        fc.asyncProperty(comparison.traffic, async (given) => {
          let passedMs = 0;
          const store = await makeStore(given.bans, () => passedMs);
          const naive = new NaiveLimiter(given.plan, given.bans);
          const time = new SteadyTime(() => passedMs);
          const decided: object[] = [];
          const expected: object[] = [];
          await play(
            given,
            async (nowMs, elapsedMs, cost) => {
              passedMs = elapsedMs;
              const { code, minuteRemaining, dayRemaining } = await store.consume(
                { id: 'key-7', plan: given.plan },
                nowMs,
                cost,
              );
              decided.push({ code, minuteRemaining, dayRemaining });
              expected.push(naive.request(time.at(nowMs), cost));
            },
            async (nowMs, elapsedMs) => {
              passedMs = elapsedMs;
              // A store learns from a request what the clock shows.
              await store.consume({ id: 'key-8', plan: given.plan }, nowMs);
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
