import { CreateIdempotencyRecords1795000060000 } from './create-idempotency-records.js';
import { IdempotencyRecord } from './idempotency.record.js';

export { TypeOrmIdempotencyStore } from './typeorm-idempotency.store.js';
export { CreateIdempotencyRecords1795000060000, IdempotencyRecord };

/** For the options of a `DataSource`: add your own entities and migrations to these. */
export const idempotencyTables = {
  entities: [IdempotencyRecord],
  migrations: [CreateIdempotencyRecords1795000060000],
  migrationsRun: true,
};
