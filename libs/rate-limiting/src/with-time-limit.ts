/**
 * Resolves like `promise`, or rejects when it takes longer than `limitMs`. The later result of `promise` is ignored.
 *
 * A process that was busy runs its timers before it reads its sockets, so a result that has arrived by then still
 * counts.
 */
export function withTimeLimit<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => setImmediate(() => reject(new Error(`No response within ${limitMs} ms.`))),
      limitMs,
    );
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (cause: Error) => {
        clearTimeout(timer);
        reject(cause);
      },
    );
  });
}
