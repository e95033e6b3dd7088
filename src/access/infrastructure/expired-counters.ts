import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import type { ExpiredRows, RemovedRows } from '../../platform/database/cleaner.js';
import { Database } from '../../platform/database/database.js';
import type { RecordNames } from '../../platform/database/statements/record-statements.js';
import { Clock, type Transaction } from '@animal-store/kernel';
import { oldestCounter } from './oldest-counter.js';
import { CounterRecord } from './counter.record.js';

type Place = Pick<CounterRecord, 'day' | 'subject'>;

const BEGINNING: Place = { day: -1n, subject: '' };

/** Saved counters of past days whose ban no longer lengthens the next one. */
@Injectable()
export class ExpiredCounters implements ExpiredRows {
  readonly table = 'rate_limit_usage';
  private readonly statements: ReturnType<typeof expiredCounterStatements>;
  private from = BEGINNING;

  constructor(
    database: Database,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    this.statements = expiredCounterStatements(database);
  }

  async removeSome(limit: number, transaction: Transaction): Promise<RemovedRows> {
    const { day: fromDay, subject: fromSubject } = this.from;
    const { day: firstDay, banUntilMs } = oldestCounter(this.clock.now(), this.settings);
    const after = { firstDay, fromDay, fromSubject };
    const some = await this.statements.some.getMany({ ...after, limit: BigInt(limit) }, transaction);
    const isEnd = some.length < limit;
    const last = some.at(-1) ?? BEGINNING;
    transaction.onCommit(() => (this.from = isEnd ? BEGINNING : last));
    const step = { ...after, lastDay: last.day, lastSubject: last.subject, banUntilMs };
    const removed = await this.statements.remove.getMany(step, transaction);
    return { count: removed.length, isEnd };
  }
}

/** Where a step begins: after the last row of the step before. */
interface After {
  readonly firstDay: bigint;
  readonly fromDay: bigint;
  readonly fromSubject: string;
}

interface Step extends After {
  readonly lastDay: bigint;
  readonly lastSubject: string;
  readonly banUntilMs: bigint;
}

/** SQL text, because the query builder cannot compare row values, and its DELETE returns no rows on SQLite. */
function expiredCounterStatements(database: Database) {
  const usage = database.statements(CounterRecord, 'usage');
  const after = ({ day, subject }: RecordNames<CounterRecord>['columns']) =>
    `${day} < :firstDay AND (${day}, ${subject}) > (:fromDay, :fromSubject)`;
  return {
    // Includes rows whose ban is still remembered, so that a step reads no more rows than its limit.
    some: usage.sql<After & { readonly limit: bigint }, Place>(
      ({ table, columns }) => `SELECT ${columns.day} AS "day", ${columns.subject} AS "subject" FROM ${table}
        WHERE ${after(columns)} ORDER BY ${columns.day}, ${columns.subject} LIMIT :limit`,
    ),
    remove: usage.sql<Step, Pick<CounterRecord, 'subject'>>(
      ({ table, columns }) => `DELETE FROM ${table}
        WHERE ${after(columns)} AND (${columns.day}, ${columns.subject}) <= (:lastDay, :lastSubject)
          AND ${columns.banUntilMs} < :banUntilMs
        RETURNING ${columns.subject} AS "subject"`,
    ),
  };
}
