import { IdempotencyRecord } from './idempotency.record.js';
import { CreateIdempotencyRecords1795000002000 } from './migrations/1795000002000-create-idempotency-records.js';
import { AddIdempotencyStatus1795000009000 } from './migrations/1795000009000-add-idempotency-status.js';

/** The record of first responses and the migrations that create its table. */
export const idempotencyTables = {
  records: [IdempotencyRecord],
  migrations: [CreateIdempotencyRecords1795000002000, AddIdempotencyStatus1795000009000],
};
