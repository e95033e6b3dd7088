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
    ...(database.dialect === 'sqlite'
      ? {
          where: ({ createdAt }) => `${createdAt} <= :newest`,
          args: () => ({ newest: BigInt(clock.now() - DAY_MS) }),
        }
      : // The clocks of hosts may be wrong: one that is ahead would remove them all.
        {
          where: ({ createdAt }) =>
            `${createdAt} <= CAST(extract(epoch FROM now()) * 1000 AS bigint) - :lifetime`,
          args: () => ({ lifetime: BigInt(DAY_MS) }),
        }),
  });
}
