import { CreateIdempotencyRecords1795000002000 } from './1795000002000-create-idempotency-records.js';
import { IdempotencyRecord } from './idempotency.record.js';

/** What idempotent operations keep in the database. */
export const idempotencySchema = {
  records: [IdempotencyRecord],
  migrations: [CreateIdempotencyRecords1795000002000],
};
