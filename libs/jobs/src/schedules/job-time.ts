import { Injectable } from '@nestjs/common';
import { Clock, SystemClock } from '@animal-store/kernel';

/** The time of jobs: one clock for all servers, that of PostgreSQL. Until it is known, and on SQLite, that of the machine. */
@Injectable()
export class JobTime {
  private behindMonotonicMs: number | null = null;

  constructor(private readonly clock: Clock) {}

  /** With any other clock, such as that of tests, time is what that says, and nothing runs by itself. */
  get isReal(): boolean {
    return this.clock instanceof SystemClock;
  }

  now(): number {
    if (this.behindMonotonicMs === null) return this.clock.now();
    return Math.round(this.clock.monotonicMs() - this.behindMonotonicMs);
  }

  monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  /** Takes the time that PostgreSQL says. */
  set(nowMs: number): void {
    if (this.isReal) this.behindMonotonicMs = this.clock.monotonicMs() - nowMs;
  }
}
