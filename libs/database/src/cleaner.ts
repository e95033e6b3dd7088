import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type Clock, RepeatedTask, type StartTimer, type Transaction } from '@animal-store/kernel';
import type { ObjectLiteral } from 'typeorm';
import type { Database } from './database.js';
import type { SqlValue } from './sql-session.js';
import type { RecordNames } from './statements/record-statements.js';

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

export interface Expiry<R extends ObjectLiteral, Name extends keyof R & string> {
  /** The columns of its primary key. */
  readonly key: readonly (keyof R & string)[];
  /** The columns by which the rows expire, with an index that begins with them; and a place before every row. */
  readonly beginning: Pick<R, Name>;
  /** Which rows have expired, with `:name` for each of these arguments. */
  readonly where: (columns: RecordNames<R>['columns']) => string;
  readonly args: () => Readonly<Record<string, SqlValue>>;
}

/**
 * The expired rows of a record, removed in the order in which they expired. SQL text, as the query builder cannot limit a
 * DELETE. It begins where the step before ended, as PostgreSQL would otherwise read past the dead rows of all earlier steps.
 */
export function expiredRows<R extends ObjectLiteral, Name extends keyof R & string>(
  database: Database,
  record: new () => R,
  { key, beginning, where, args }: Expiry<R, Name>,
): ExpiredRows<Pick<R, Name>> {
  const order = Object.keys(beginning) as Name[];
  const statements = database.statements(record, 'expired');
  const remove = statements.sql<Record<string, SqlValue>, Pick<R, Name>>(({ table, columns }) => {
    const namesOf = (properties: readonly (keyof R & string)[]) =>
      properties.map((name) => columns[name]).join(', ');
    const places = order.map((name) => `:${name}`).join(', ');
    const rows = `WHERE (${namesOf(order)}) >= (${places}) AND ${where(columns)} ORDER BY ${namesOf(order)} LIMIT :limit`;
    const returned = order.map((name) => `${columns[name]} AS "${name}"`).join(', ');
    return `${deleteSome(database, { table, key: namesOf(key), rows })} RETURNING ${returned}`;
  });
  return {
    table: statements.table,
    removeSome: async (after, limit, transaction) => {
      const place = (after ?? beginning) as Readonly<Record<Name, SqlValue>>;
      const removed = await remove.getMany({ ...args(), ...place, limit }, transaction);
      if (removed.length < limit) return { count: removed.length, end: null };
      return { count: removed.length, end: removed.reduce((a, b) => (isAfter(a, b, order) ? a : b)) };
    },
  };
}

function isAfter<Row>(a: Row, b: Row, order: readonly (keyof Row)[]): boolean {
  const name = order.find((one) => a[one] !== b[one]);
  return name !== undefined && a[name] > b[name];
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
