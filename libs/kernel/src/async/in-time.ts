import type { Clock } from '../clock.js';

/**
 * Resolves like `work`, or rejects with an `Error` when that takes longer than `limitMs`. What `work` results in later
 * is ignored.
 *
 * @param what the subject of the error's message
 * @example
 * await inTime(1_000, database.check(), 'The check of the database');
 */
export function inTime<T>(limitMs: number, work: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Error(`${what} took more than ${limitMs} ms.`));
    // A process that was busy runs its timers before it reads its sockets, so a result that has arrived by then counts.
    const timer = setTimeout(() => setImmediate(expire), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Does the work for the first of all calls within `ms`. The others get the same result. */
export function atMostEvery<T>(
  ms: number,
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  work: () => Promise<T>,
): () => Promise<T> {
  let latest: { readonly startedMs: number; readonly result: Promise<T> } | null = null;
  return () => {
    const nowMs = monotonicMs();
    if (latest === null || nowMs - latest.startedMs >= ms) latest = { startedMs: nowMs, result: work() };
    return latest.result;
  };
}
