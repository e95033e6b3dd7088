import { Database } from '@animal-store/database';
import { IdempotencyRecord } from '@animal-store/idempotency/typeorm';
import { Every, Job, REMOVAL, RemoveExpired } from '@animal-store/jobs';
import { Clock, DAY_MS } from '@animal-store/kernel';

@Job('idempotency.remove-expired', REMOVAL)
@Every('10m')
export class RemoveExpiredResponses extends RemoveExpired<IdempotencyRecord, 'createdAtMs'> {
  constructor(database: Database, clock: Clock) {
    // The clocks of hosts may be wrong: one that is ahead would remove them all.
    const now = 'CAST(extract(epoch FROM now()) * 1000 AS bigint)';
    super(database, IdempotencyRecord, {
      key: ['caller', 'value'],
      beginning: { createdAtMs: 0 },
      where: ({ createdAtMs }) =>
        `${createdAtMs} <= ${database.dialect === 'postgres' ? now : ':now'} - :lifetime`,
      args: () => ({
        lifetime: BigInt(DAY_MS),
        ...(database.dialect === 'sqlite' && { now: BigInt(clock.now()) }),
      }),
    });
  }
}
