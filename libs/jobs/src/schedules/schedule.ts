import { parseDuration } from '@animal-store/kernel';

/** When a job runs by itself. */
export interface Schedule {
  /** What identifies it: another rule starts anew. */
  readonly rule: string;
  /** The first time after this one, in milliseconds since the Unix epoch. */
  next(afterMs: number): number;
}

/** @throws TypeError unless it is a duration such as `90s`, `15m`, `1h` or `1d` */
export function everySchedule(duration: string): Schedule {
  const everyMs = parseDuration(duration);
  if (!everyMs) throw new TypeError(`"${duration}" is no duration such as 90s, 15m, 1h or 1d.`);
  // Whole multiples since the epoch: every server comes to the same times, whenever it starts.
  return { rule: `every ${duration}`, next: (ms) => (Math.floor(ms / everyMs) + 1) * everyMs };
}
