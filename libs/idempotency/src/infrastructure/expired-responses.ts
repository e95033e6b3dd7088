import type { Clock } from '@animal-store/kernel';
import { type Database, deleteSome, type ExpiredRows } from '@animal-store/database';
import { expiredAtMs } from './idempotency.repository.js';
import { IdempotencyRecord } from './idempotency.record.js';

/** The first responses that have expired, in the order in which they were stored. */
export function expiredResponses(database: Database, clock: Clock): ExpiredRows<bigint> {
  const removeOldest = removeOldestStatement(database);
  return {
    table: 'idempotency_records',
    removeSome: async (after, limit, transaction) => {
      const newest = BigInt(expiredAtMs(clock.now()));
      const step = { from: after ?? 0n, newest, limit: BigInt(limit) };
      const removed = await removeOldest.getMany(step, transaction);
      const last = removed.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), 0n);
      return { count: removed.length, end: removed.length < limit ? null : last };
    },
  };
}

interface Step {
  /** Where the step before ended, as PostgreSQL would otherwise read past the dead rows of all earlier steps. */
  readonly from: bigint;
  readonly newest: bigint;
  readonly limit: bigint;
}

/** SQL text, because the query builder cannot limit a DELETE, and its DELETE returns no rows on SQLite. */
function removeOldestStatement(database: Database) {
  const records = database.statements(IdempotencyRecord, 'record');
  return records.sql<Step, Pick<IdempotencyRecord, 'createdAt'>>(({ table, columns }) => {
    const { apiKeyId, idempotencyKey, createdAt } = columns;
    const oldest = `WHERE ${createdAt} BETWEEN :from AND :newest ORDER BY ${createdAt} LIMIT :limit`;
    return `${deleteSome(database, { table, key: `${apiKeyId}, ${idempotencyKey}`, rows: oldest })}
      RETURNING ${createdAt} AS "createdAt"`;
  });
}
