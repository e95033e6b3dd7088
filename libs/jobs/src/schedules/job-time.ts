import { Injectable } from '@nestjs/common';
import { Clock, SystemClock } from '@animal-store/kernel';

/** A clock is no more than this ahead by chance. */
const JUMP_MS = 1_000;

/** The time of jobs: PostgreSQL's clock for all servers; until it is known, and on SQLite, that of the machine. */
@Injectable()
export class JobTime {
  private monotonicOffsetMs: number | null = null;
  /** The last time of PostgreSQL, and when it was requested. */
  private last = { nowMs: -Infinity, requestedAtMs: 0 };
  private jumpedAtMs = -Infinity;
  private lagMs = 0;

  constructor(private readonly clock: Clock) {}

  /** With any other clock, such as that of tests, time is what that says, and nothing runs by itself. */
  get isReal(): boolean {
    return this.clock instanceof SystemClock;
  }

  now(): number {
    if (this.monotonicOffsetMs === null) return this.clock.now();
    return Math.round(this.clock.monotonicMs() - this.monotonicOffsetMs);
  }

  /** The latest that it can be now: PostgreSQL may have read its clock just after the request. */
  latest(): number {
    return this.now() + this.lagMs;
  }

  monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  /**
   * By the monotonic clock: the moment from which a lease counts that begins now. PostgreSQL's clock may have jumped
   * ahead since it was asked, and others may have seen that.
   */
  leaseStartMs(): number {
    return this.monotonicOffsetMs === null ? this.monotonicMs() : this.last.requestedAtMs;
  }

  /** Takes the time that PostgreSQL said when it was asked at `sentAtMs`, by the monotonic clock. */
  set(nowMs: number, requestedAtMs: number): void {
    if (!this.isReal) return;
    const receivedMs = this.clock.monotonicMs();
    // What it said before this process has asked is unknown, so it may just have jumped.
    if (nowMs - this.last.nowMs > receivedMs - this.last.requestedAtMs + JUMP_MS)
      this.jumpedAtMs = receivedMs;
    this.last = { nowMs, requestedAtMs };
    this.monotonicOffsetMs = receivedMs - nowMs;
    this.lagMs = Math.ceil(receivedMs - requestedAtMs);
  }

  /** Whether the clock of PostgreSQL has not jumped ahead for this time, so that leases end when they should. */
  isSteadyFor(ms: number): boolean {
    return this.clock.monotonicMs() - this.jumpedAtMs >= ms;
  }
}
