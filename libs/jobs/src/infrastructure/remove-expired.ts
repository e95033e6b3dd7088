import { setTimeout as delay } from 'node:timers/promises';
import type { Database, RecordNames } from '@animal-store/database';
import type { Transaction } from '@animal-store/kernel';
import type { ObjectLiteral } from 'typeorm';
import type { JobHandler, JobOptions } from '../job.decorator.js';

export interface Expiry<R extends ObjectLiteral, Name extends keyof R & string> {
  /** The columns by which the rows expire, with an index that begins with them; and a place before every row. */
  readonly beginning: Readonly<Pick<R, Name>>;
  /** Which rows have expired, with `:name` for each of these arguments. */
  readonly where: (columns: RecordNames<R>['columns']) => string;
  readonly args: () => Readonly<Record<string, bigint | number>>;
}

/**
 * On SQLite every request waits for a step, so a step takes a few milliseconds, and requests get most of the time. On
 * PostgreSQL no request waits, and round trips are the cost.
 */
const STEPS = { sqlite: { rows: 100, delayMs: 6 }, postgres: { rows: 1_000, delayMs: 50 } } as const;

/** Rows that take half an hour to remove expire faster than they are removed: the job has failed. */
export const REMOVAL = { concurrency: 1, limitMs: 600_000, attempts: 3 } as const satisfies JobOptions;

/**
 * A job that removes the expired rows of a table, in the order in which they expired: in small steps with delays in
 * between, so that requests hardly notice.
 *
 * @example
 * ```ts
 * @Job('visits.remove-expired', REMOVAL)
 * @Every('10m')
 * export class RemoveExpiredVisits extends RemoveExpired<VisitRecord, 'endedAtMs'> {
 *   constructor(database: Database, clock: Clock) {
 *     super(database, VisitRecord, {
 *       beginning: { endedAtMs: 0 },
 *       where: ({ endedAtMs }) => `${endedAtMs} <= :newest`,
 *       args: () => ({ newest: clock.now() - DAY_MS }),
 *     });
 *   }
 * }
 * ```
 */
export abstract class RemoveExpired<
  R extends ObjectLiteral,
  Name extends keyof R & string,
> implements JobHandler<null> {
  private readonly names: Name[];
  private readonly remove: (args: object, within: Transaction) => Promise<readonly Pick<R, Name>[]>;

  protected constructor(
    private readonly database: Database,
    record: new () => R,
    private readonly expiry: Expiry<R, Name>,
  ) {
    this.names = Object.keys(expiry.beginning) as Name[];
    const remove = database
      .statements(record, 'expired')
      .sql<object, Pick<R, Name>>((names) => this.sql(names));
    this.remove = (args, within) => remove.getMany(args, within);
  }

  async run(_: null, signal: AbortSignal): Promise<void> {
    const { rows, delayMs } = STEPS[this.database.dialect];
    for (let place: Pick<R, Name> | null = this.expiry.beginning; ;) {
      place = await this.removeSome(place, rows);
      if (place === null) return;
      await delay(delayMs, null, { signal, ref: false });
    }
  }

  /** @returns where it ended; null when no expired row is left */
  private async removeSome(after: Pick<R, Name>, limit: number): Promise<Pick<R, Name> | null> {
    const args = { ...this.expiry.args(), ...after, limit };
    const removed = await this.database.background.run((transaction) => this.remove(args, transaction));
    return removed.length < limit ? null : removed.reduce((a, b) => (this.isAfter(a, b) ? a : b));
  }

  private isAfter(a: Pick<R, Name>, b: Pick<R, Name>): boolean {
    const name = this.names.find((one) => a[one] !== b[one]);
    return name !== undefined && a[name] > b[name];
  }

  /**
   * SQL text, as the query builder cannot limit a DELETE. It begins where the step before ended, as PostgreSQL would
   * otherwise read past the dead rows of all earlier steps.
   */
  private sql({ table, columns, key }: RecordNames<R>): string {
    const order = this.names.map((name) => columns[name]).join(', ');
    const places = this.names.map((name) => `:${name}`).join(', ');
    const rows = `FROM ${table} WHERE (${order}) >= (${places}) AND ${this.expiry.where(columns)} ORDER BY ${order} LIMIT :limit`;
    const returned = this.names.map((name) => `${columns[name]} AS "${name}"`).join(', ');
    // Several servers may delete rows at the same time: those that are locked are left to the other one. PostgreSQL
    // reads all of the table to find keys in it when it believes that there are few rows.
    const first =
      this.database.dialect === 'sqlite'
        ? `(${key}) IN (SELECT ${key} ${rows})`
        : `ctid = ANY (ARRAY(SELECT ctid ${rows} FOR UPDATE SKIP LOCKED))`;
    return `DELETE FROM ${table} WHERE ${first} RETURNING ${returned}`;
  }
}
