import { type Clock, DAY_MS } from '@animal-store/kernel';
import { type Database, expiredRows, type ExpiredRows } from '@animal-store/database';
import { IdempotencyRecord } from './idempotency.record.js';

/** The first responses that have expired, in the order in which they were stored. */
export function expiredResponses(
  database: Database,
  clock: Clock,
): ExpiredRows<Pick<IdempotencyRecord, 'createdAt'>> {
  return expiredRows(database, IdempotencyRecord, {
    key: ['caller', 'idempotencyKey'],
    beginning: { createdAt: 0n },
    where: ({ createdAt }) => `${createdAt} <= :newest`,
    args: () => ({ newest: BigInt(clock.now() - DAY_MS) }),
  });
}
