import { IdempotencyRecord } from './idempotency.record.js';
import { CreateIdempotencyRecords1795000002000 } from './migrations/1795000002000-create-idempotency-records.js';
import { AddIdempotencyStatus1795000009000 } from './migrations/1795000009000-add-idempotency-status.js';
import { GiveResponsesToAccounts1795000080000 } from './migrations/1795000080000-give-responses-to-accounts.js';

/** The record of first responses and the migrations that create its table. */
export const idempotencyTables = {
  records: [IdempotencyRecord],
  migrations: [
    CreateIdempotencyRecords1795000002000,
    AddIdempotencyStatus1795000009000,
    GiveResponsesToAccounts1795000080000,
  ],
};
