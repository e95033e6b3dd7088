import { DAY_MS } from '@animal-store/kernel';
import { oncePer } from '@animal-store/kernel/http';
import { type RatePlan, type RateWindow, secondsOf } from '../rate-plan.js';

/** A window of a list, with what counting needs. */
export interface ListedWindow {
  readonly window: RateWindow;
  /** What it is counted under: its length, after its budget if it has one. So two plans with one length share the count. */
  readonly key: string;
  readonly name: string;
  readonly limit: number;
  readonly lengthMs: number;
  readonly isDay: boolean;
}

/** What a subject has used of a window of a list. */
export interface WindowCount {
  readonly key: string;
  readonly lengthMs: number;
  /** When the latest one started, in milliseconds since the Unix epoch: with its first request, or the day at midnight. */
  startMs: number;
  count: number;
}

/** The state of a window of a list after a decision. */
export interface WindowState {
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until it resets, rounded up. */
  readonly resetSeconds: number;
}

/** The windows of the list of a plan; the plan has one. */
export const listedWindows = oncePer(({ windows }: RatePlan): readonly ListedWindow[] =>
  windows!.map((window) => {
    const { budget, name, limit, seconds } = window;
    return {
      window,
      key: budget === undefined ? `${seconds}` : `${budget} ${seconds}`,
      name: budget === undefined ? name : `${budget}.${name}`,
      limit,
      lengthMs: secondsOf(seconds) * 1_000,
      isDay: seconds === 'day',
    };
  }),
);

type Counts = readonly WindowCount[] | null;

/** Whether each window has room for `cost` requests. */
export function haveRoom(counts: Counts, plan: RatePlan, now: number, cost: number): boolean {
  for (const { key, limit } of listedWindows(plan)) if (usedOf(counts, key, now) + cost > limit) return false;
  return true;
}

/** Counts `cost` requests in each window. Returns the counts. */
export function addToEach(
  counts: WindowCount[] | null,
  plan: RatePlan,
  now: number,
  cost: number,
): WindowCount[] {
  const all = counts ?? [];
  for (const { key, lengthMs, isDay } of listedWindows(plan)) {
    let entry = findCount(all, key);
    if (entry === undefined) all.push((entry = { key, lengthMs, startMs: 0, count: 0 }));
    if (!isRunning(entry, now)) {
      entry.startMs = isDay ? Math.floor(now / DAY_MS) * DAY_MS : now;
      entry.count = 0;
    }
    entry.count += cost;
  }
  return all;
}

/** As with the minute: a start that is further ahead than the window is long, after a step back, is moved to now. */
export function rollBack(counts: WindowCount[], now: number): void {
  for (const entry of counts) if (now - entry.startMs < -entry.lengthMs) entry.startMs = now;
}

/** Takes over what another store has counted: the later window, or the larger count of one. */
export function adoptEach(counts: WindowCount[] | null, seen: readonly WindowCount[]): WindowCount[] {
  const all = counts ?? [];
  for (const { key, lengthMs, startMs, count } of seen) {
    const entry = findCount(all, key);
    if (entry === undefined) all.push({ key, lengthMs, startMs, count });
    else if (startMs > entry.startMs) Object.assign(entry, { startMs, count });
    else if (startMs === entry.startMs) entry.count = Math.max(entry.count, count);
  }
  return all;
}

/** Adds what an earlier process has counted in windows that overlap; the later start counts. */
export function sumEach(counts: WindowCount[] | null, saved: readonly WindowCount[]): WindowCount[] {
  const all = counts ?? [];
  for (const entry of saved) {
    const known = findCount(all, entry.key);
    if (known === undefined) all.push({ ...entry });
    else {
      const [first, last] = known.startMs < entry.startMs ? [known, entry] : [entry, known];
      const both = isRunning(first, last.startMs) ? first.count + last.count : last.count;
      Object.assign(known, { startMs: last.startMs, count: both });
    }
  }
  return all;
}

/** Whether requests are counted in one of the windows. */
export function anyRuns(counts: Counts, now: number): boolean {
  return counts !== null && counts.some((entry) => isRunning(entry, now));
}

export function usedOf(counts: Counts, key: string, now: number): number {
  const entry = findCount(counts, key);
  return entry !== undefined && isRunning(entry, now) ? entry.count : 0;
}

/** When a window resets: of one that is not running, when it would that started now. */
export function endOf(counts: Counts, { key, lengthMs, isDay }: ListedWindow, now: number): number {
  const entry = findCount(counts, key);
  if (entry !== undefined && isRunning(entry, now)) return entry.startMs + lengthMs;
  return isDay ? (Math.floor(now / DAY_MS) + 1) * DAY_MS : now + lengthMs;
}

/** A loop, as it costs half of what `find` does. */
function findCount(counts: Counts, key: string): WindowCount | undefined {
  if (counts !== null) for (const entry of counts) if (entry.key === key) return entry;
  return undefined;
}

/** Whether requests are counted in the window at `now`. */
export function isRunning({ startMs, lengthMs, count }: WindowCount, now: number): boolean {
  return count > 0 && now - startMs < lengthMs;
}
