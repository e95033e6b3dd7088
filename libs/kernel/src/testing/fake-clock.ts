import { Clock } from '../clock.js';

/** A stopped clock, which only a test advances. */
export class FakeClock extends Clock {
  readonly isReal = false;
  readonly now = (): number => this.nowMs;
  readonly monotonicMs = (): number => this.passedMs;
  private nowMs: number;
  private passedMs = 0;

  constructor(start: string | number = '2026-03-14T12:00:00.000Z') {
    super();
    this.nowMs = new Date(start).getTime();
  }

  /** Sets the clock, as an operator would. The monotonic time does not change. */
  set(instant: string): void {
    this.nowMs = new Date(instant).getTime();
  }

  advance(ms: number): void {
    this.nowMs += ms;
    this.passedMs += ms;
  }
}
