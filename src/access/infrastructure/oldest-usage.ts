import type { Settings } from '../../platform/config/settings.js';
import { DAY_MS } from '../../shared/clock.js';

/** What still counts at `nowMs`: the days from this one on, and the bans that ended no earlier. */
export function oldestUsage(
  nowMs: number,
  { rateLimits }: Pick<Settings, 'rateLimits'>,
): { day: bigint; banUntilMs: bigint } {
  return {
    // The day before counts too: clocks step back over midnight.
    day: BigInt(Math.floor(nowMs / DAY_MS) - 1),
    banUntilMs: BigInt(nowMs - rateLimits.ban.memorySeconds * 1_000),
  };
}
