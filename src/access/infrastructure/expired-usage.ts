import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import type { ExpiredRows, RemovedRows } from '../../platform/database/cleaner.js';
import { Database } from '../../platform/database/database.js';
import type { RecordNames } from '../../platform/database/statements/record-statements.js';
import { Clock } from '../../shared/clock.js';
import type { Transaction } from '../../shared/unit-of-work.js';
import { oldestUsage } from './oldest-usage.js';
import { UsageRecord } from './usage.record.js';

type Place = Pick<UsageRecord, 'day' | 'subject'>;

const BEGINNING: Place = { day: -1n, subject: '' };

/** Counts of days that are over, and bans that lengthen no other one any more. */
@Injectable()
export class ExpiredUsage implements ExpiredRows {
  readonly table = 'rate_limit_usage';
  private readonly statements: ReturnType<typeof expiredUsageStatements>;
  private from = BEGINNING;

  constructor(
    database: Database,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    this.statements = expiredUsageStatements(database);
  }

  async removeSome(limit: number, transaction: Transaction): Promise<RemovedRows> {
    const { day: fromDay, subject: fromSubject } = this.from;
    const { day: firstDay, banUntilMs } = oldestUsage(this.clock.now(), this.settings);
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

/** A row of days that have ended, behind the place where the last step ended. */
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

/** As text: the builder compares no two columns at once, and its DELETE returns no rows on SQLite. */
function expiredUsageStatements(database: Database) {
  const usage = database.statements(UsageRecord, 'usage');
  const after = ({ day, subject }: RecordNames<UsageRecord>['columns']) =>
    `${day} < :firstDay AND (${day}, ${subject}) > (:fromDay, :fromSubject)`;
  return {
    // Those too whose ban is still remembered, so that a step looks at no more rows than its limit.
    some: usage.sql<After & { readonly limit: bigint }, Place>(
      ({ table, columns }) => `SELECT ${columns.day} AS "day", ${columns.subject} AS "subject" FROM ${table}
        WHERE ${after(columns)} ORDER BY ${columns.day}, ${columns.subject} LIMIT :limit`,
    ),
    remove: usage.sql<Step, Pick<UsageRecord, 'subject'>>(
      ({ table, columns }) => `DELETE FROM ${table}
        WHERE ${after(columns)} AND (${columns.day}, ${columns.subject}) <= (:lastDay, :lastSubject)
          AND ${columns.banUntilMs} < :banUntilMs
        RETURNING ${columns.subject} AS "subject"`,
    ),
  };
}
