/** The length of a UTC day. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** The time. It is injected, so that tests can move it. */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract now(): number;

  /** Milliseconds of a clock that is never set. Use it to measure durations. */
  abstract monotonicMs(): number;
}

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }
}
