import { Cron as CronTimes } from 'croner';
import { parseDuration } from '@animal-store/kernel';

export interface ScheduleOptions {
  /** What happens to the times at which no worker was there: all together are one run (`one`, the default), or `none`. */
  readonly missed?: 'one' | 'none';
}

export interface CronOptions extends ScheduleOptions {
  /** Such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string;
}

/** When a job runs by itself. */
export interface Schedule {
  /** What identifies it: another rule starts anew. */
  readonly rule: string;
  readonly missed: 'one' | 'none';
  /** The first time after this one, in milliseconds since the Unix epoch. */
  next(afterMs: number): number;
}

/** @throws TypeError unless it is a duration such as `90s`, `15m`, `1h` or `1d` */
export function everySchedule(duration: string, { missed = 'one' }: ScheduleOptions = {}): Schedule {
  const everyMs = parseDuration(duration);
  if (!everyMs) throw new TypeError(`"${duration}" is no duration such as 90s, 15m, 1h or 1d.`);
  // Whole multiples since the epoch: every server comes to the same times, whenever it starts.
  return { rule: `every ${duration}`, missed, next: (ms) => (Math.floor(ms / everyMs) + 1) * everyMs };
}

/** @throws Error when the pattern has not five parts, never comes, or the time zone is none */
export function cronSchedule(pattern: string, options: CronOptions = {}): Schedule {
  const { timeZone = 'UTC', missed = 'one' } = options;
  // With a year, a pattern would have a last time.
  const times = new CronTimes(pattern, { timezone: timeZone, paused: true, mode: '5-part' });
  const next = (ms: number): number => times.nextRun(new Date(ms))!.getTime();
  if (times.nextRun(new Date(0)) === null) throw new TypeError(`The cron pattern "${pattern}" never comes.`);
  return { rule: `cron ${pattern} ${timeZone}`, missed, next };
}
