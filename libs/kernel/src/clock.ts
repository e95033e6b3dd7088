/** The length of a UTC day. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** The time. It is injected, so that tests can move it. Its functions can be passed on: `now: clock.now`. */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract readonly now: () => number;

  /** Whether time passes by itself. With any other clock, such as that of tests, nothing runs by itself. */
  abstract readonly isReal: boolean;

  /** Milliseconds of a clock that is never set. Use it to measure durations. */
  abstract readonly monotonicMs: () => number;
}

export class SystemClock extends Clock {
  readonly isReal = true;
  readonly now = Date.now;
  readonly monotonicMs = (): number => performance.now();
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };
const DURATION = /^(\d{1,9})([smhd])$/;

/** The milliseconds of a whole number and `s`, `m`, `h` or `d`, such as `90s` or `24h`; null for any other text. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = DURATION.exec(text) ?? [];
  return count === undefined ? null : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
