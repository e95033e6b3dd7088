import fc from 'fast-check';
import { DEFAULT_BAN_RULES } from '../rate-plan.js';
import { NaiveLimiter } from '../testing/naive-limiter.js';
import { play, traffic } from '../testing/traffic.js';
import { count, Counter, peek, type RateLimitDecision } from './plan-window.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** `expect` alone would take three quarters of the time, so it is only called for what is wrong. */
function same(found: unknown, expected: unknown): void {
  if (!Object.is(found, expected)) expect(found).toBe(expected);
}
function atLeast(found: number, limit: number): void {
  if (!(found >= limit)) expect(found).toBeGreaterThanOrEqual(limit);
}
function atMost(found: number, limit: number): void {
  if (!(found <= limit)) expect(found).toBeLessThanOrEqual(limit);
}

// What single rules mean is told in the contract of the stores; here is what holds for any traffic whatever.
describe('the windows of a plan, for any traffic', () => {
  it('let through what the naive reference lets through, and never more than the limit of a window', async () => {
    await fc.assert(
      fc.asyncProperty(traffic, async (given) => {
        const { plan, bans } = given;
        const perMinute = plan.perMinute ?? Infinity;
        const counter = new Counter('key-7');
        const naive = new NaiveLimiter(plan, bans);
        const allowedAt: { nowMs: number; elapsedMs: number }[] = [];

        await play(
          given,
          async (nowMs, elapsedMs, asked) => {
            // What costs more than a window is never allowed, at no time.
            const most = (plan.windows ?? []).map(({ limit }) => limit);
            const cost = Math.min(asked, perMinute, plan.perDay ?? Infinity, ...most);
            const before = structuredClone(counter);
            const decision = count(counter, plan, nowMs, bans, 0, cost);
            const expected = naive.request(nowMs, cost);
            same(decision.code, expected.code);
            same(decision.minuteRemaining, expected.minuteRemaining);
            same(decision.dayRemaining, expected.dayRemaining);
            for (const [index, { remaining }] of expected.windows.entries())
              same(decision.windows[index]!.remaining, remaining);
            if (decision.allowed) for (let i = 0; i < cost; i++) allowedAt.push({ nowMs, elapsedMs });
            else expectNoQuotaCharged(before, counter, nowMs);
            expectHonestHeaders(decision, expected.retryAtMs, nowMs);
            expectTheNextRequestAgrees(decision, counter, nowMs, cost);
          },
          async (nowMs) => {
            if (counter.penalty !== null && counter.penalty.banUntilMs - counter.penalty.banMs <= nowMs) {
              counter.penalty = null;
            }
            naive.liftBan(nowMs);
          },
        );

        expectNoWindowOverflows(allowedAt);

        function expectNoWindowOverflows(allowed: { nowMs: number; elapsedMs: number }[]): void {
          for (const { allowedAtMs } of naive.minutes) {
            atMost(allowedAtMs.length, perMinute);
          }
          // Whatever the clock did: no minute that really passed has room for more than two windows.
          for (let i = 2 * perMinute; i < allowed.length; i++) {
            const tookMs = allowed[i]!.elapsedMs - allowed[i - 2 * perMinute]!.elapsedMs;
            atLeast(tookMs, MINUTE);
          }
          const byDate = new Map<string, number>();
          for (const { nowMs } of allowed) {
            const date = new Date(nowMs).toISOString().slice(0, 10);
            byDate.set(date, (byDate.get(date) ?? 0) + 1);
          }
          for (const requests of byDate.values()) {
            atMost(requests, plan.perDay ?? Infinity);
          }
        }

        function expectNoQuotaCharged(before: Counter, after: Counter, nowMs: number): void {
          const wide = { ...plan, perMinute: 1e9 };
          const { minuteRemaining, dayRemaining, windows } = count(withoutPenalty(after), wide, nowMs, bans);
          const unchanged = count(withoutPenalty(before), wide, nowMs, bans);
          same(minuteRemaining, unchanged.minuteRemaining);
          same(dayRemaining, unchanged.dayRemaining);
          for (const [index, { remaining }] of windows.entries())
            same(remaining, unchanged.windows[index]!.remaining);
        }

        function expectHonestHeaders(
          decision: RateLimitDecision,
          retryAtMs: number | null,
          nowMs: number,
        ): void {
          const { limit, remaining, binding, resetAtSeconds, retryAfterSeconds } = decision;
          const { minuteRemaining, dayRemaining } = withInfinity(decision);
          if (retryAtMs === null) {
            same(remaining, leastLeft(decision));
            const ofTwo = dayRemaining <= minuteRemaining ? plan.perDay : plan.perMinute;
            same(limit, binding?.limit ?? ofTwo);
            same(retryAfterSeconds, 0);
            atLeast(resetAtSeconds * 1000, nowMs + 1);
          } else {
            same(resetAtSeconds, Math.ceil(retryAtMs / 1000));
            same(retryAfterSeconds, Math.ceil((retryAtMs - nowMs) / 1000));
            atLeast(retryAfterSeconds, 1);
          }
        }

        function expectTheNextRequestAgrees(
          decision: RateLimitDecision,
          now: Counter,
          nowMs: number,
          cost: number,
        ): void {
          const next = count(structuredClone(now), plan, nowMs, bans, 0, cost);
          same(next.allowed, leastLeft(decision) >= cost);
          if (next.allowed) same(leastLeft(next), leastLeft(decision) - cost);
          if (decision.allowed) return;
          const { retryAfterSeconds } = decision;
          const tooEarlyMs = nowMs + (retryAfterSeconds - 1) * 1000;
          same(count(structuredClone(now), plan, tooEarlyMs, bans, 0, cost).allowed, false);
          // When midnight comes a second time, the day after it may be used up already.
          if (now.day * DAY > nowMs) return;
          const later = count(structuredClone(now), plan, nowMs + retryAfterSeconds * 1000, bans, 0, cost);
          same(later.allowed, true);
        }
      }),
      { numRuns: 100 },
    );
  });
});

// A store remembers less than that, and its time never goes back by so much.
describe('a clock that is set back by more than a day', () => {
  const NOON = Date.UTC(2030, 2, 1, 12);
  const plan = { perMinute: 10, perDay: 10 };

  it.each([
    ['the day before', 7, 2],
    ['the last day', 2, 7],
  ])(
    'carries the larger of the two kept counts to the day that it comes to, that of %s',
    (_, first, last) => {
      const counter = new Counter('key-7');
      count(counter, plan, NOON, DEFAULT_BAN_RULES, 0, first);
      count(counter, plan, NOON + DAY, DEFAULT_BAN_RULES, 0, last);
      expect(peek(counter, plan, NOON - 2 * DAY)).toMatchObject({ dayRemaining: 3 });
    },
  );
});

function withInfinity({ minuteRemaining, dayRemaining }: RateLimitDecision) {
  return { minuteRemaining: minuteRemaining ?? Infinity, dayRemaining: dayRemaining ?? Infinity };
}

function leastLeft(decision: RateLimitDecision): number {
  const { minuteRemaining, dayRemaining } = withInfinity(decision);
  return Math.min(minuteRemaining, dayRemaining, ...decision.windows.map(({ remaining }) => remaining));
}

function withoutPenalty(counter: Counter): Counter {
  return { ...structuredClone(counter), penalty: null };
}
