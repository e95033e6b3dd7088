/** The promises that were added during one turn of the event loop. */
interface Turn {
  pending: number;
  timer?: NodeJS.Timeout;
  readonly rejections: ((cause: Error) => void)[];
  readonly end: () => void;
}

/**
 * Rejects what takes too long. Promises that are added during one turn of the event loop share a timer, which starts at
 * the end of that turn: that is when a client sends what a turn has collected.
 */
export class TimeLimit {
  private turn: Turn | null = null;

  constructor(private readonly limitMs: number) {}

  /** Resolves like `promise`, or rejects when it takes longer. The later result of `promise` is ignored. */
  apply<T>(promise: Promise<T>): Promise<T> {
    const turn = (this.turn ??= this.begin());
    turn.pending++;
    promise.then(turn.end, turn.end);
    return new Promise((resolve, reject) => {
      turn.rejections.push(reject);
      promise.then(resolve, reject);
    });
  }

  private begin(): Turn {
    const end = () => {
      if (--turn.pending === 0) clearTimeout(turn.timer);
    };
    const turn: Turn = { pending: 0, rejections: [], end };
    setImmediate(() => {
      this.turn = null;
      if (turn.pending === 0) return;
      // A process that was busy runs its timers before it reads its sockets, so a result that has arrived by then
      // counts.
      turn.timer = setTimeout(() => setImmediate(() => this.expire(turn)), this.limitMs);
    });
    return turn;
  }

  /** Does nothing to those that are settled. */
  private expire({ rejections }: Turn): void {
    const cause = new TimeLimitExceeded(`No response within ${this.limitMs} ms.`);
    for (const reject of rejections) reject(cause);
  }
}

export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeoutError';
}
