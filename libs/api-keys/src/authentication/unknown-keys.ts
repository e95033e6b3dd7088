/** How long a key counts as unknown without being looked up again. */
const UNKNOWN_FOR_MS = 1_000;
/** Bounds the memory for unknown keys to about two megabytes. */
const MOST_KEYS = 10_000;

/** Caches which keys the store did not know a moment ago. Drops entries early when there are too many. */
export class UnknownKeys {
  private latest = new Map<string, number>();
  private earlier = new Map<string, number>();

  has(token: string, nowMs: number): boolean {
    const sinceMs = this.latest.get(token) ?? this.earlier.get(token);
    // The absolute value, so that a clock that is set back does not extend the time.
    return sinceMs !== undefined && Math.abs(nowMs - sinceMs) < UNKNOWN_FOR_MS;
  }

  add(token: string, nowMs: number): void {
    // Two maps that are swapped: dropping a whole map costs nothing, while deleting the oldest entries of one map costs
    // more from time to time.
    if (this.latest.size >= MOST_KEYS / 2) {
      this.earlier = this.latest;
      this.latest = new Map();
    }
    this.latest.set(token, nowMs);
  }
}
