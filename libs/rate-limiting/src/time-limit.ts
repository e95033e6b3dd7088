/**
 * Rejects what takes too long. Promises that are handed in during one turn of the event loop share a timer, which starts
 * at the end of that turn: that is when a client sends what a turn has collected.
 *
 * @example
 * ```ts
 * const limit = new TimeLimit(50);
 * await limit.apply(redis.ping());
 * ```
 */
export class TimeLimit {
  private turn: Turn | null = null;

  constructor(private readonly limitMs: number) {}

  /** Resolves like `promise`, or rejects when it takes longer. The later result of `promise` is ignored. */
  apply<T>(promise: Promise<T>): Promise<T> {
    const turn = (this.turn ??= this.begin());
    return new Promise((resolve, reject) => {
      turn.wait(reject);
      promise.then(
        (value) => {
          turn.settle();
          resolve(value);
        },
        (cause: Error) => {
          turn.settle();
          reject(cause);
        },
      );
    });
  }

  private begin(): Turn {
    const turn = new Turn();
    setImmediate(() => {
      this.turn = null;
      turn.startTimer(this.limitMs);
    });
    return turn;
  }
}

/** The promises of one turn of the event loop. */
class Turn {
  private readonly rejections: ((cause: Error) => void)[] = [];
  private pending = 0;
  private timer: NodeJS.Timeout | undefined;

  wait(reject: (cause: Error) => void): void {
    this.rejections.push(reject);
    this.pending++;
  }

  settle(): void {
    if (--this.pending === 0) clearTimeout(this.timer);
  }

  startTimer(limitMs: number): void {
    if (this.pending === 0) return;
    // A process that was busy runs its timers before it reads its sockets, so a result that has arrived by then counts.
    this.timer = setTimeout(() => setImmediate(() => this.expire(limitMs)), limitMs);
  }

  /** Does nothing to those that are settled. */
  private expire(limitMs: number): void {
    const cause = new TookTooLong(`No response within ${limitMs} ms.`);
    for (const reject of this.rejections) reject(cause);
  }
}

export class TookTooLong extends Error {
  override readonly name = 'TimeoutError';
}
