import fc from 'fast-check';
import { DAY_MS } from '@animal-store/kernel';
import type { BanRules, RatePlan } from '../rate-plan.js';

export type TrafficStep =
  | { kind: 'requests'; count: number; cost: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'wait until midnight'; offsetMs: number }
  | { kind: 'clock steps back'; ms: number }
  | { kind: 'ban is lifted' };

export interface Traffic {
  plan: RatePlan;
  bans: BanRules;
  startMs: number;
  steps: TrafficStep[];
}

const duration = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 5_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 130_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(1_000, 59_999, 60_000, 60_001) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_600_000 }) },
);

const step: fc.Arbitrary<TrafficStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('requests' as const),
      count: fc.integer({ min: 1, max: 40 }),
      cost: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 9 })),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: duration }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wait until midnight' as const),
      offsetMs: fc.constantFrom(-30_000, -1, 0, 1, 30_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clock steps back' as const), ms: duration }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'ban is lifted' as const }) },
);

/** A minute, a day or neither, and further windows, in any order. */
const plan: fc.Arbitrary<RatePlan> = fc.uniqueArray(
  fc.record({
    limit: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 200 })),
    seconds: fc.oneof(
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom(60, 60, 1, 3_600, 'day' as const, 'day' as const),
    ),
    name: fc.uuid(),
  }),
  { minLength: 1, maxLength: 4, selector: ({ seconds }) => seconds },
);

/** Random plans, ban rules, arrivals, midnights, clock steps and lifts. */
export const traffic: fc.Arbitrary<Traffic> = fc.record({
  plan,
  bans: fc.record({
    minRefusals: fc.integer({ min: 1, max: 25 }),
    firstBanMs: fc.integer({ min: 1, max: 120_000 }),
    longestBanMs: fc.integer({ min: 1, max: 600_000 }),
    memoryMs: fc.constantFrom(0, 60_000, 600_000, DAY_MS),
  }),
  startMs: fc.integer({ min: Date.UTC(2030, 0, 1), max: Date.UTC(2030, 0, 2) }),
  steps: fc.array(step, { minLength: 1, maxLength: 40 }),
});

/**
 * Walks through `steps` and calls `onRequest` with the time of each request, with the time that really passed, and with
 * its cost: a clock that steps back does not take it back.
 */
export async function play(
  { startMs, steps }: Traffic,
  onRequest: (nowMs: number, elapsedMs: number, cost: number) => Promise<void>,
  onLift: (nowMs: number, elapsedMs: number) => Promise<void>,
): Promise<void> {
  let nowMs = startMs;
  let elapsedMs = 0;
  for (const each of steps) {
    switch (each.kind) {
      case 'requests':
        for (let i = 0; i < each.count; i++) await onRequest(nowMs, elapsedMs, each.cost);
        break;
      case 'wait':
        nowMs += each.ms;
        elapsedMs += each.ms;
        break;
      case 'wait until midnight': {
        const ms = Math.max(0, (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS + each.offsetMs - nowMs);
        nowMs += ms;
        elapsedMs += ms;
        break;
      }
      case 'clock steps back':
        nowMs -= each.ms;
        break;
      case 'ban is lifted':
        await onLift(nowMs, elapsedMs);
    }
  }
}
