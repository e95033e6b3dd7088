/** The length of a UTC day. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** The time. It is injected, so that tests can move it. Its functions can be passed on: `now: clock.now`. */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract readonly now: () => number;

  /** Milliseconds of a clock that is never set. Use it to measure durations. */
  abstract readonly monotonicMs: () => number;
}

export class SystemClock extends Clock {
  readonly now = Date.now;
  readonly monotonicMs = (): number => performance.now();
}
