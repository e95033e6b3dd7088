import { Cron as CronTimes } from 'croner';
import { DAY_MS, parseDuration } from '@animal-store/kernel';
import { TimeZone } from './time-zone.js';

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

/** A pattern for every hour of a day names no time of day. */
const IS_HOURLY = /^\s*(?:\S+\s+\*\s|@hourly)/;

/**
 * Comes at every time of day of the pattern: once when the clocks show it twice, and at the moment that they leave it
 * out. A pattern for every hour comes in each hour that passes.
 * @throws Error when the pattern has not five parts, never comes, or the time zone does not exist
 */
export function cronSchedule(pattern: string, { timeZone = 'UTC' }: CronOptions = {}): Schedule {
  const zone = new TimeZone(timeZone);
  // UTC, because the zone is applied here. Five fields, because a pattern with a year would have a last time.
  const times = new CronTimes(pattern, { timezone: 'UTC', paused: true, mode: '5-part' });
  if (times.nextRun(new Date(0)) === null) throw new TypeError(`The cron pattern "${pattern}" never comes.`);
  const nextWall = (wall: number): number => times.nextRun(new Date(wall))!.getTime();
  const next = IS_HOURLY.test(pattern) ? everyTime(zone, nextWall) : onceADay(zone, nextWall);
  return { rule: `cron ${pattern} ${timeZone}`, next };
}

function onceADay(zone: TimeZone, nextWall: (wall: number) => number): Schedule['next'] {
  return (ms) => {
    for (let wall = zone.wallAt(ms); ;) {
      wall = nextWall(wall);
      const atMs = zone.firstAt(wall);
      if (atMs > ms) return atMs;
    }
  };
}

function everyTime(zone: TimeZone, nextWall: (wall: number) => number): Schedule['next'] {
  return function next(ms): number {
    const offset = zone.offsetAt(ms);
    const atMs = nextWall(ms + offset) - offset;
    // The clocks may change several times until then.
    if (atMs - ms > DAY_MS) return next(atMs - DAY_MS);
    const newOffset = zone.offsetAt(atMs);
    if (newOffset === offset) return atMs;
    return nextWall(zone.changeBetween(ms, atMs) + newOffset - 1) - newOffset;
  };
}
