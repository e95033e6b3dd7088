import fc from 'fast-check';
import type { RateLimitDecision } from '../rate-limit-decision.js';
import { DAY_MS } from '@animal-store/kernel';
import { DEFAULT_BAN_RULES } from '../rate-plan.js';
import { NaiveLimiter } from '../testing/naive-limiter.js';
import { play, traffic } from '../testing/traffic.js';
import { count, Counter, liftBan } from './counter.js';
import { SteadyTime } from './steady-time.js';

/** `expect` alone would take three quarters of the time, so it is only called for what is wrong. */
function same(found: unknown, expected: unknown): void {
  if (!Object.is(found, expected)) expect(found).toBe(expected);
}
function atLeast(found: number, limit: number): void {
  if (!(found >= limit)) expect(found).toBeGreaterThanOrEqual(limit);
}

it('A counter does not grow by callers whose plans or bans come and go', () => {
  const counter = new Counter('zoo');
  const [hour, minute] = [3_600, 60].map((seconds) => ({ name: `${seconds}`, limit: 1, seconds }));
  for (let day = 0; day < 9; day++)
    for (const plan of [[hour!], [minute!], [minute!, hour!]])
      for (let nth = 0; nth < 3; nth++)
        count(counter, { id: 'zoo', caller: `till ${day}`, plan }, day * 3 * DAY_MS, DEFAULT_BAN_RULES);

  expect(counter.keys).toHaveLength(2);
  expect(counter.penalties?.size).toBe(1);
});

// The contract of the stores tests each rule; this tests what is true of any traffic.
describe('the windows of a plan, for any traffic', () => {
  it('let through what the naive reference lets through, and never more than the limit of a window', async () => {
    await fc.assert(
      fc.asyncProperty(traffic, async (given) => {
        const { plan, bans } = given;
        let passedMs = 0;
        const time = new SteadyTime(() => passedMs);
        const subject = { id: 'key-7', plan };
        const counter = new Counter('key-7');
        const naive = new NaiveLimiter(plan, bans);

        await play(
          given,
          async (clockMs, elapsedMs, requested) => {
            passedMs = elapsedMs;
            const nowMs = time.at(clockMs);
            // What costs more than a window is never allowed, at no time.
            const cost = Math.min(requested, ...plan.map(({ limit }) => limit));
            const before = structuredClone(counter.counts);
            const decision = count(counter, subject, nowMs, bans, 0, cost);
            const expected = naive.request(nowMs, cost);
            same(decision.code, expected.code);
            for (const [index, left] of expected.left.entries()) same(decision.states[2 * index], left);
            if (!decision.allowed) expect(counter.counts).toEqual(before);
            expectHonestHeaders(decision, expected.retryAtMs, nowMs);
            expectTheNextRequestAgrees(decision, nowMs, cost);
          },
          async (clockMs, elapsedMs) => {
            passedMs = elapsedMs;
            liftBan(counter, 'key-7', time.at(clockMs));
            naive.liftBan(time.at(clockMs));
          },
        );
        for (const [index, { limit }] of plan.entries())
          for (const { allowedAtMs } of naive.spans[index]!) atLeast(limit, allowedAtMs.length);

        function expectHonestHeaders(
          decision: RateLimitDecision,
          retryAtMs: number | null,
          nowMs: number,
        ): void {
          const { binding, remaining, resetAtSeconds, retryAfterSeconds } = decision;
          expect(plan).toContain(binding);
          if (retryAtMs === null) {
            same(remaining, leastLeft(decision));
            same(retryAfterSeconds, 0);
            atLeast(resetAtSeconds * 1000, nowMs + 1);
          } else {
            same(resetAtSeconds, Math.ceil(retryAtMs / 1000));
            same(retryAfterSeconds, Math.ceil((retryAtMs - nowMs) / 1000));
            atLeast(retryAfterSeconds, 1);
          }
        }

        function expectTheNextRequestAgrees(decision: RateLimitDecision, nowMs: number, cost: number): void {
          const consume = (atMs: number) =>
            count(
              Object.assign(structuredClone(counter), { keys: counter.keys }),
              subject,
              atMs,
              bans,
              0,
              cost,
            );
          const next = consume(nowMs);
          same(next.allowed, leastLeft(decision) >= cost);
          if (next.allowed) same(leastLeft(next), leastLeft(decision) - cost);
          if (decision.allowed) return;
          const { retryAfterSeconds } = decision;
          same(consume(nowMs + (retryAfterSeconds - 1) * 1000).allowed, false);
          same(consume(nowMs + retryAfterSeconds * 1000).allowed, true);
        }
      }),
      { numRuns: 100 },
    );
  });
});

function leastLeft({ states }: RateLimitDecision): number {
  return Math.min(...states.filter((_, index) => index % 2 === 0));
}
