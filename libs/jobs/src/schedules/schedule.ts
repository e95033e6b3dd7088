import { Cron as CronTimes } from 'croner';
import { parseDuration } from '@animal-store/kernel';

export interface CronOptions {
  /** Such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string;
}

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

/**
 * When clocks change, the rules of croner apply: a time of day comes once, at the end of a gap that has it. A pattern
 * with a wildcard or a step for its minutes or hours comes in each hour that passes.
 * @throws Error when the pattern has not five parts, never comes, or the time zone does not exist
 */
export function cronSchedule(pattern: string, { timeZone = 'UTC' }: CronOptions = {}): Schedule {
  // Five fields, because a pattern with a year would have a last time.
  const times = new CronTimes(pattern, {
    timezone: timeZone,
    paused: true,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
  });
  if (times.nextRun(new Date(0)) === null) throw new TypeError(`The cron pattern "${pattern}" never comes.`);
  return { rule: `cron ${pattern} ${timeZone}`, next: (ms) => times.nextRun(new Date(ms))!.getTime() };
}
