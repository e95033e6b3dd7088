import type { Settings } from '../../platform/config/settings.js';
import { DAY_MS } from '@animal-store/kernel';

/** The oldest day and the oldest end of a ban that still matter at `nowMs`. */
export function oldestCounter(
  nowMs: number,
  { rateLimits }: Pick<Settings, 'rateLimits'>,
): { day: bigint; banUntilMs: bigint } {
  return {
    // The day before matters too: a clock may step back over midnight.
    day: BigInt(Math.floor(nowMs / DAY_MS) - 1),
    banUntilMs: BigInt(nowMs - rateLimits.ban.memorySeconds * 1_000),
  };
}
