/**
 * `promise`, or a rejection when it takes longer than `limitMs`. What `promise` does later is ignored.
 *
 * A process that was busy itself runs its timers before it reads its sockets: an answer that has arrived by then still
 * counts.
 */
export function withTimeLimit<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => setImmediate(() => reject(new Error(`No answer within ${limitMs} ms.`))),
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
