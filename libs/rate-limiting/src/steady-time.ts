/** How far a clock may be behind and still count as right: small corrections happen all the time. */
export const TOLERANCE_MS = 1_000;

/**
 * A view of a clock that never goes back. After a step back, it follows the time that really passes; after a step
 * forward, or when the clock has caught up, it follows the clock again.
 *
 * @example
 * ```ts
 * const time = new SteadyTime(() => performance.now());
 * time.at(Date.now());
 * ```
 */
export class SteadyTime {
  private latestMs = -Infinity;
  private latestAtMs = 0;
  private stepMs = 0;

  /** @param monotonicMs milliseconds since any moment, by a clock that nobody sets */
  constructor(private readonly monotonicMs: () => number) {}

  /** How far this time is ahead of the clock, as it last was. */
  get aheadMs(): number {
    return this.stepMs;
  }

  /** The time when the clock shows `clockMs`, in whole milliseconds since the Unix epoch. */
  at(clockMs: number): number {
    const atMs = this.monotonicMs();
    const expectedMs = this.latestMs + (atMs - this.latestAtMs);
    const isRight = clockMs >= expectedMs - TOLERANCE_MS;
    this.latestMs = isRight ? Math.max(clockMs, this.latestMs) : expectedMs;
    this.latestAtMs = atMs;
    const nowMs = Math.floor(this.latestMs);
    this.stepMs = nowMs - clockMs;
    return nowMs;
  }
}
