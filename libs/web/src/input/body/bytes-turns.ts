/** A turn of the event loop that takes longer delays the requests of others. */
const LONG_MS = 5;
const MAX_AT_ONCE = 64;

/**
 * Lets handlers that send bytes begin. Reading many bytes from a file or a database may take the event loop some
 * milliseconds, so of a hundred that come together a few begin in a turn, and the requests of others are served in
 * between. How many follows from the turns before.
 */
export class BytesTurns {
  private readonly waiting: (() => void)[] = [];
  private max = 1;

  constructor(private readonly now = () => performance.now()) {}

  /** Resolves when the next handler may begin. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) setImmediate(this.begin);
    });
  }

  private readonly begin = (): void => {
    const startedAtMs = this.now();
    const count = Math.min(this.max, this.waiting.length);
    for (let index = 0; index < count; index++) this.waiting[index]!();
    // A whole turn later.
    setImmediate(() => {
      const durationMs = this.now() - startedAtMs;
      this.max = durationMs > LONG_MS ? 1 : Math.min(MAX_AT_ONCE, this.max * 2);
      this.waiting.splice(0, count);
      if (this.waiting.length > 0) this.begin();
    });
  };
}
