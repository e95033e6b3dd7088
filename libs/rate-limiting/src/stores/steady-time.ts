/** How far a clock may be late and still count as right: small corrections happen all the time. */
export const TOLERANCE_MS = 1_000;

/**
 * A view of a clock that never goes back. After a step back, it follows the time that really passes; after a step
 * forward, or when the clock has caught up, it follows the clock again.
 */
export class SteadyTime {
  private latest = -Infinity;
  private latestAtMs = 0;
  /** How far this time was ahead of the clock last, in milliseconds. */
  skew = 0;

  /** @param monotonicMs milliseconds since any moment, by a clock that nobody sets */
  constructor(private readonly monotonicMs: () => number) {}

  /** The time when the clock shows `wallClock`, in whole milliseconds since the Unix epoch. */
  at(wallClock: number): number {
    const atMs = this.monotonicMs();
    const expected = this.latest + (atMs - this.latestAtMs);
    const isRight = wallClock >= expected - TOLERANCE_MS;
    this.latest = isRight ? Math.max(wallClock, this.latest) : expected;
    this.latestAtMs = atMs;
    const now = Math.floor(this.latest);
    this.skew = now - wallClock;
    return now;
  }
}
