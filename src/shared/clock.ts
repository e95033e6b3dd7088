/** A UTC day: all have the same length. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** The time, handed in wherever it matters so that tests can move it. */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract now(): number;

  /** Milliseconds since some moment, by a clock that nobody sets: good for what has passed between two calls. */
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
