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

/** @throws TypeError when the pattern or the time zone is none, or never comes */
export function cronSchedule(pattern: string, options: CronOptions = {}): Schedule {
  const { timeZone = 'UTC', missed = 'one' } = options;
  const times = new CronTimes(pattern, { timezone: timeZone, paused: true });
  const next = (ms: number): number => {
    const time = times.nextRun(new Date(ms));
    if (time === null) throw new TypeError(`The cron pattern "${pattern}" never comes again.`);
    return time.getTime();
  };
  next(0);
  return { rule: `cron ${pattern} ${timeZone}`, missed, next };
}
