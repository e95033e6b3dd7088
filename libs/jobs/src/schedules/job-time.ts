import { Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';

/** A clock that gains more than this has jumped. */
const JUMP_MS = 1_000;

/** The time of jobs: PostgreSQL's clock for all servers; until it is known, and on SQLite, that of the machine. */
@Injectable()
export class JobTime extends Clock {
  readonly isReal: boolean;
  private monotonicOffsetMs: number | null = null;
  /** The last time of PostgreSQL, and when it was requested. */
  private last = { nowMs: -Infinity, requestedAtMs: 0 };
  private jumpedAtMs = -Infinity;

  constructor(private readonly clock: Clock) {
    super();
    this.isReal = clock.isReal;
  }

  readonly now = (): number => {
    if (this.monotonicOffsetMs === null) return this.clock.now();
    return Math.round(this.clock.monotonicMs() - this.monotonicOffsetMs);
  };

  /** For a statement that begins leases: null where PostgreSQL reads its clock itself. */
  leaseNowMs(): number | null {
    return this.monotonicOffsetMs === null ? this.clock.now() : null;
  }

  readonly monotonicMs = (): number => this.clock.monotonicMs();

  /** Stores the time of PostgreSQL as read by a statement sent at `requestedAtMs` of the monotonic clock. */
  set(nowMs: number, requestedAtMs: number): void {
    if (!this.isReal) return;
    const receivedMs = this.clock.monotonicMs();
    // The clock of the database may have jumped just before its first reading.
    if (nowMs - this.last.nowMs > receivedMs - this.last.requestedAtMs + JUMP_MS)
      this.jumpedAtMs = receivedMs;
    this.last = { nowMs, requestedAtMs };
    this.monotonicOffsetMs = receivedMs - nowMs;
  }

  /** Whether the clock of PostgreSQL has not jumped ahead for this time, so that leases end when they should. */
  isSteadyFor(ms: number): boolean {
    return this.clock.monotonicMs() - this.jumpedAtMs >= ms;
  }
}
