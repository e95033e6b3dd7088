import type { ClientBase } from 'pg';

/** The rows of another database are moved to this one, or were until that was interrupted. */
export class UnfinishedMigration extends Error {
  constructor() {
    super(
      'a data migration to the database is not finished: run the same one again, which continues, or use another database',
    );
    this.name = 'UnfinishedMigration';
  }
}

/** Any fixed number works, as long as every release uses the same one. Tests have a schema each. */
const LOCK = '7201031, hashtext(current_schema())';

/** Every connection shares this lock until it ends, but those that move rows. */
export const LOCK_AS_USER = `SELECT pg_advisory_lock_shared(${LOCK})`;

/** False when another connection uses the database. Otherwise no other one is opened until the transaction ends. */
export const IS_UNUSED = `SELECT pg_try_advisory_xact_lock(${LOCK}) AS "isUnused"`;

/** The table exists until all rows are moved. */
export const IS_UNFINISHED = `SELECT to_regclass('data_migration') IS NOT NULL AS "isUnfinished"`;

/** @throws UnfinishedMigration when what is stored now would be lost, or would make the move fail */
export async function requireFinished(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ isUnfinished: boolean }>(IS_UNFINISHED);
  if (rows[0]!.isUnfinished) throw new UnfinishedMigration();
}
