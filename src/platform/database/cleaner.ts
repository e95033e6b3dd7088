import { Logger } from '@nestjs/common';
import type { Transaction } from '../../shared/unit-of-work.js';
import type { Database } from './database.js';

/** Rows of a table that have expired. */
export interface ExpiredRows {
  readonly table: string;

  /**
   * Removes some of them, going on where the last committed call ended and beginning anew after one that came to the end.
   * @param limit how many rows it may look at.
   */
  removeSome(limit: number, transaction: Transaction): Promise<RemovedRows>;
}

export interface RemovedRows {
  readonly count: number;
  /** Whether there were no more, for now. */
  readonly isEnd: boolean;
}

export interface CleanerOptions {
  /** A clock that never steps back, in milliseconds. */
  readonly nowMs: () => number;
  readonly onRemoved: (count: number) => void;
}

/**
 * How long a step should take, and how many rows it may look at. On the embedded database every request waits for the
 * step, so it is short; on PostgreSQL nobody does, and what counts are the round trips. The fewest rows are enough for
 * 5,000 a second on a machine that is busy with other things.
 */
const STEPS = {
  sqlite: { targetMs: 2, minRows: 100, maxRows: 1_000 },
  postgres: { targetMs: 50, minRows: 1_000, maxRows: 5_000 },
} as const;

/** For each millisecond of work, this many of rest: three quarters of the time are for others. */
const REST_PER_WORK = 3;
const REST_AT_THE_END_MS = 10_000;
const REST_AFTER_FAILURE_MS = 10_000;
const BEHIND_MS = 10 * 60 * 1_000;

/**
 * Removes expired rows in small steps with rests between them, so that nobody waits for it, and says when that is too slow
 * for what expires. Steps grow and shrink with the time that they take.
 */
export class Cleaner {
  private readonly logger = new Logger(Cleaner.name);
  private limit: number;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private endedAtMs: number;
  private isBehind = false;
  private isFailing = false;
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly rows: ExpiredRows,
    private readonly options: CleanerOptions,
  ) {
    this.limit = STEPS[database.dialect].minRows;
    this.endedAtMs = options.nowMs();
  }

  get table(): string {
    return this.rows.table;
  }

  /** For how long there has been something left to remove. */
  get behindMs(): number {
    return this.options.nowMs() - this.endedAtMs;
  }

  start(): void {
    this.rest(REST_AT_THE_END_MS);
  }

  /** Resolves when nothing more will be done: before the database is closed. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.isStopped = true;
    await this.running;
  }

  /** Never rejects. Returns how long to rest until the next step, in milliseconds. */
  async step(): Promise<number> {
    try {
      const { workMs, isEnd } = await this.remove();
      if (this.isFailing) this.logger.log(`Expired rows of ${this.table} can be removed again.`);
      this.isFailing = false;
      return isEnd ? this.ended() : this.goesOn(this.restAfter(workMs));
    } catch (error) {
      if (!this.isFailing) this.logger.error(`Expired rows of ${this.table} cannot be removed.`, error);
      this.isFailing = true;
      return this.goesOn(REST_AFTER_FAILURE_MS);
    }
  }

  private async remove(): Promise<{ workMs: number; isEnd: boolean }> {
    const { nowMs, onRemoved } = this.options;
    const { removed, workMs } = await this.database.run(async (transaction) => {
      // Only the statements: the transaction may be shared with others, and wait for the disk.
      const startedMs = nowMs();
      const removed = await this.rows.removeSome(this.limit, transaction);
      return { removed, workMs: nowMs() - startedMs };
    });
    onRemoved(removed.count);
    const { targetMs, minRows, maxRows } = STEPS[this.database.dialect];
    // Not more than twice as many at a time: one quick step says little of the next.
    const fitting = Math.round(this.limit * Math.min(2, targetMs / Math.max(workMs, 0.1)));
    if (!removed.isEnd) this.limit = Math.min(maxRows, Math.max(minRows, fitting));
    return { workMs, isEnd: removed.isEnd };
  }

  /** Not longer for a step that took too long because the machine had other things to do. */
  private restAfter(workMs: number): number {
    return Math.ceil(Math.min(workMs, STEPS[this.database.dialect].targetMs) * REST_PER_WORK);
  }

  private ended(): number {
    if (this.isBehind) this.logger.log(`Removing expired rows of ${this.table} has caught up.`);
    this.isBehind = false;
    this.endedAtMs = this.options.nowMs();
    return REST_AT_THE_END_MS;
  }

  private goesOn(restMs: number): number {
    if (!this.isBehind && this.behindMs > BEHIND_MS) {
      this.isBehind = true;
      this.logger.warn(
        `Removing expired rows of ${this.table} has fallen behind: for ${Math.round(this.behindMs / 60_000)} minutes there have been some left.`,
      );
    }
    return restMs;
  }

  private rest(ms: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.running = this.step().then((restMs) => this.rest(restMs));
    }, ms).unref();
  }
}
