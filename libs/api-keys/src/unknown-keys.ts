/** Bounds the memory for unknown keys to some two megabytes, whatever is guessed. */
const MOST_KEYS = 10_000;

/** The keys that the store did not know a moment ago. Forgets them early when there are too many. */
export class UnknownKeys {
  private latest = new Map<string, number>();
  private earlier = new Map<string, number>();

  /** @param forMs how long a key counts as unknown without being looked up again */
  constructor(private readonly forMs: number) {}

  has(token: string, nowMs: number): boolean {
    const sinceMs = this.latest.get(token) ?? this.earlier.get(token);
    // Absolute, so that a clock set back does not make a key unknown until it has caught up.
    return sinceMs !== undefined && Math.abs(nowMs - sinceMs) < this.forMs;
  }

  add(token: string, nowMs: number): void {
    // Two halves that take turns: to drop one costs nothing, to drop the eldest of a map costs more from time to time.
    if (this.latest.size >= MOST_KEYS / 2) {
      this.earlier = this.latest;
      this.latest = new Map();
    }
    this.latest.set(token, nowMs);
  }
}
