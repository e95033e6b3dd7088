import { Logger } from '@nestjs/common';
import type { Transaction } from '@animal-store/kernel';
import type { Database } from './database.js';

/** The expired rows of a table. */
export interface ExpiredRows {
  readonly table: string;

  /**
   * Removes some of them. A call continues where the last committed call ended. After the end it starts from the
   * beginning.
   * @param limit the number of rows it may read.
   */
  removeSome(limit: number, transaction: Transaction): Promise<RemovedRows>;
}

export interface RemovedRows {
  readonly count: number;
  /** Whether no expired row is left for now. */
  readonly isEnd: boolean;
}

export interface CleanerOptions {
  /** A clock that never steps back, in milliseconds. */
  readonly nowMs: () => number;
  readonly onRemoved: (count: number) => void;
}

/**
 * The target duration of a step and the bounds on its rows. On the embedded database every request waits for a step, so
 * steps are short. On PostgreSQL nobody waits and round trips are the cost. Even the smallest steps remove 5,000 rows a
 * second on a busy machine.
 */
const STEPS = {
  sqlite: { targetMs: 2, minRows: 100, maxRows: 1_000 },
  postgres: { targetMs: 50, minRows: 1_000, maxRows: 5_000 },
} as const;

/** Milliseconds of rest for each millisecond of work: three quarters of the time are left to requests. */
const REST_PER_WORK = 3;
const REST_AT_THE_END_MS = 10_000;
const REST_AFTER_FAILURE_MS = 10_000;
const BEHIND_MS = 10 * 60 * 1_000;

/**
 * Removes expired rows in small steps with rests in between, so that requests hardly notice, and logs a warning when it
 * falls behind. The size of a step follows the time that steps take.
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

  /** How long there have been rows left to remove. */
  get behindMs(): number {
    return this.options.nowMs() - this.endedAtMs;
  }

  start(): void {
    this.rest(REST_AT_THE_END_MS);
  }

  /** Resolves when the last step is done. Call it before the database is closed. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.isStopped = true;
    await this.running;
  }

  /** Runs one step. Never rejects. Returns the milliseconds to rest before the next step. */
  async step(): Promise<number> {
    try {
      const { workMs, isEnd } = await this.remove();
      if (this.isFailing) this.logger.log(`Expired rows of ${this.table} can be removed again.`);
      this.isFailing = false;
      return isEnd ? this.ended() : this.continueAfter(this.restAfter(workMs));
    } catch (error) {
      if (!this.isFailing) this.logger.error(`Expired rows of ${this.table} cannot be removed.`, error);
      this.isFailing = true;
      return this.continueAfter(REST_AFTER_FAILURE_MS);
    }
  }

  private async remove(): Promise<{ workMs: number; isEnd: boolean }> {
    const { nowMs, onRemoved } = this.options;
    const { removed, workMs } = await this.database.run(async (transaction) => {
      // Measures only the statements. The transaction itself may be shared with other writes and waits for the disk.
      const startedMs = nowMs();
      const removed = await this.rows.removeSome(this.limit, transaction);
      return { removed, workMs: nowMs() - startedMs };
    });
    onRemoved(removed.count);
    const { targetMs, minRows, maxRows } = STEPS[this.database.dialect];
    // At most doubles the step, as one quick step says little about the next one.
    const fitting = Math.round(this.limit * Math.min(2, targetMs / Math.max(workMs, 0.1)));
    if (!removed.isEnd) this.limit = Math.min(maxRows, Math.max(minRows, fitting));
    return { workMs, isEnd: removed.isEnd };
  }

  /** Bounded, as a step may have taken long only because the machine was busy. */
  private restAfter(workMs: number): number {
    return Math.ceil(Math.min(workMs, STEPS[this.database.dialect].targetMs) * REST_PER_WORK);
  }

  private ended(): number {
    if (this.isBehind) this.logger.log(`Removing expired rows of ${this.table} has caught up.`);
    this.isBehind = false;
    this.endedAtMs = this.options.nowMs();
    return REST_AT_THE_END_MS;
  }

  private continueAfter(restMs: number): number {
    if (!this.isBehind && this.behindMs > BEHIND_MS) {
      this.isBehind = true;
      this.logger.warn(
        `Removing expired rows of ${this.table} has fallen behind: there have been rows left to remove for ${Math.round(this.behindMs / 60_000)} minutes.`,
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
