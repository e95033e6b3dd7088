/**
 * Resolves like `work`, or rejects when it takes longer than `limitMs`. Its later result is ignored.
 *
 * @param what the subject of the error's message
 * @example
 * await inTime(1_000, database.check(), 'The check');
 */
export function inTime<T>(limitMs: number, work: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Error(`${what} took more than ${limitMs} ms.`));
    // A process that was busy runs its timers before it reads its sockets, so a result that has arrived by then counts.
    const timer = setTimeout(() => setImmediate(expire), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
