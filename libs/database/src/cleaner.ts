import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type Clock, RepeatedTask, type StartTimer, type Transaction } from '@animal-store/kernel';
import type { Database } from './database.js';

/** The expired rows of a table, removed in the order of their places. */
export interface ExpiredRows<Place> {
  readonly table: string;

  /** Removes expired rows after the place where the step before ended: null at the beginning. Reads at most `limit`. */
  removeSome(after: Place | null, limit: number, transaction: Transaction): Promise<RemovedRows<Place>>;
}

export interface RemovedRows<Place> {
  readonly count: number;
  /** Where the step ended; null when no expired row is left for now. */
  readonly end: Place | null;
}

/**
 * The SQL that deletes the first rows of a table.
 * @param key its columns
 * @param rows which ones: the end of a SELECT, with a limit
 */
export function deleteSome(
  { dialect }: Pick<Database, 'dialect'>,
  { table, key, rows }: Record<'table' | 'key' | 'rows', string>,
): string {
  if (dialect === 'sqlite')
    return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} ${rows})`;
  // Several servers may delete rows at the same time: those that are locked are left to the other one. PostgreSQL reads all
  // of the table to find keys in it when it believes that there are few rows.
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} ${rows} FOR UPDATE SKIP LOCKED))`;
}

/**
 * On the embedded database every request waits for a step, so a step takes a few milliseconds, and requests get most of
 * the time. On PostgreSQL nobody waits and round trips are the cost.
 */
const STEPS = { sqlite: { rows: 100, restMs: 6 }, postgres: { rows: 1_000, restMs: 50 } } as const;
const REST_AT_THE_END_MS = 10_000;
const REST_AFTER_FAILURE_MS = 10_000;
const BEHIND_MS = 10 * 60 * 1_000;

/**
 * Removes expired rows while the server runs: in small steps with rests in between, so that requests hardly notice. It
 * logs a warning when it falls behind.
 */
export class Cleaner<Place> implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Cleaner.name);
  private readonly task: RepeatedTask;
  private after: Place | null = null;
  private removed = 0;
  private endedAtMs: number;
  private isBehind = false;

  constructor(
    private readonly database: Database,
    private readonly rows: ExpiredRows<Place>,
    private readonly clock: Clock,
    startTimer?: StartTimer,
  ) {
    this.endedAtMs = clock.monotonicMs();
    this.task = new RepeatedTask({
      step: () => this.step(),
      restAfterFailureMs: REST_AFTER_FAILURE_MS,
      onFailing: (cause) => this.logger.error(`Expired rows of ${this.table} cannot be removed.`, cause),
      onWorking: () => this.logger.log(`Expired rows of ${this.table} can be removed again.`),
      startTimer,
    });
  }

  get table(): string {
    return this.rows.table;
  }

  /** The rows removed since the start. */
  get removedCount(): number {
    return this.removed;
  }

  /** How long there have been rows left to remove. */
  get behindMs(): number {
    return this.clock.monotonicMs() - this.endedAtMs;
  }

  onApplicationBootstrap(): void {
    this.task.start(REST_AT_THE_END_MS);
  }

  /** Before the database closes. */
  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async step(): Promise<number> {
    const { background, dialect } = this.database;
    const { rows, restMs } = STEPS[dialect];
    try {
      const { count, end } = await background.run((transaction) =>
        this.rows.removeSome(this.after, rows, transaction),
      );
      this.removed += count;
      this.after = end;
      if (end === null) this.ended();
      return end === null ? REST_AT_THE_END_MS : restMs;
    } finally {
      this.warnWhenBehind();
    }
  }

  private ended(): void {
    if (this.isBehind) this.logger.log(`Removing expired rows of ${this.table} has caught up.`);
    this.isBehind = false;
    this.endedAtMs = this.clock.monotonicMs();
  }

  private warnWhenBehind(): void {
    if (this.isBehind || this.behindMs <= BEHIND_MS) return;
    this.isBehind = true;
    this.logger.warn(
      `Removing expired rows of ${this.table} has fallen behind: there have been rows left to remove for ${Math.round(this.behindMs / 60_000)} minutes.`,
    );
  }
}
