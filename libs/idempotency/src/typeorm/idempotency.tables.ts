import {
  AddIdempotencyStatus1795000009000,
  CreateIdempotencyRecords1795000002000,
} from './create-idempotency-records.js';
import { IdempotencyRecord } from './idempotency.record.js';

/** For the options of a `DataSource`: add your own entities and migrations to these. */
export const idempotencyTables = {
  entities: [IdempotencyRecord],
  migrations: [CreateIdempotencyRecords1795000002000, AddIdempotencyStatus1795000009000],
  migrationsRun: true,
};
