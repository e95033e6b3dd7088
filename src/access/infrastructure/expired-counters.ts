import type { Database, ExpiredRows, RecordNames } from '@animal-store/database';
import type { Clock } from '@animal-store/kernel';
import type { Settings } from '../../settings/settings.js';
import { CounterRecord } from './counter.record.js';
import { oldestCounter } from './typeorm-counter.store.js';

type Place = Pick<CounterRecord, 'day' | 'subject'>;

const BEGINNING: Place = { day: -1n, subject: '' };

/** Saved counters of past days whose ban no longer lengthens the next one. */
export function expiredCounters(
  database: Database,
  clock: Clock,
  settings: Pick<Settings, 'rateLimits'>,
): ExpiredRows<Place> {
  const statements = expiredCounterStatements(database);
  return {
    table: 'rate_limit_usage',
    removeSome: async (after, limit, transaction) => {
      const { day: fromDay, subject: fromSubject } = after ?? BEGINNING;
      const { day: firstDay, banUntilMs } = oldestCounter(clock.now(), settings);
      const from = { firstDay, fromDay, fromSubject };
      const some = await statements.some.getMany({ ...from, limit: BigInt(limit) }, transaction);
      const last = some.at(-1);
      if (!last) return { count: 0, end: null };
      const step = { ...from, lastDay: last.day, lastSubject: last.subject, banUntilMs };
      const removed = await statements.remove.getMany(step, transaction);
      return { count: removed.length, end: some.length < limit ? null : last };
    },
  };
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
