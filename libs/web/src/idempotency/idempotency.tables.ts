import { idempotencyTables as ofPackage } from '@animal-store/idempotency/typeorm';
import { GiveResponsesToAccounts1795000080000 } from './1795000080000-give-responses-to-accounts.js';

/** The record of first responses and the migrations that create its table. */
export const idempotencyTables = {
  records: ofPackage.entities,
  migrations: [...ofPackage.migrations, GiveResponsesToAccounts1795000080000],
};
