import type { ClientBase, QueryResult } from 'pg';

/** The rows of another database are moved to this one, or were until that was interrupted. */
export class UnfinishedMigration extends Error {
  constructor() {
    super(
      'a data migration to the database is not finished: run the same one again, which continues, or use another database',
    );
    this.name = 'UnfinishedMigration';
  }
}

/** Any fixed number works, as long as every release uses the same one. */
const LOCK_CLASS = 7_201_031;
/** Tests have a schema each. */
const LOCK_OBJECT = 'hashtext(current_schema())';
const LOCK = `${LOCK_CLASS}, ${LOCK_OBJECT}`;

/** Every connection shares this lock until it ends, but those that move rows, and those to a pooler. */
export const LOCK_AS_USER = `SELECT pg_advisory_lock_shared(${LOCK})`;

/** False when another connection uses the database. Otherwise no other one is opened until the transaction ends. */
export const IS_UNUSED = `SELECT pg_try_advisory_xact_lock(${LOCK}) AS "isUnused"`;

/** Whether another connection waits for this lock. One that builds an index waits for the transaction, but stores nothing. */
export const IS_AWAITED = `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND classid = ${LOCK_CLASS} AND objid = ${LOCK_OBJECT}::oid) AS "isAwaited"`;

/** How often a running server looks for a data migration, which may have begun without it, such as with an earlier release. */
export const LOOK_EVERY_MS = 1_000;

/** The table exists until all rows are moved. */
export const IS_UNFINISHED = `SELECT to_regclass('data_migration') IS NOT NULL AS "isUnfinished"`;

/**
 * Waits while a data migration begins, which sees this: a connection to a pooler has no lock of its own.
 * @throws UnfinishedMigration when what is stored now would be lost, or would make the move fail
 */
export async function requireFinished(client: ClientBase): Promise<void> {
  const sql = `SELECT pg_advisory_xact_lock_shared(${LOCK}); ${IS_UNFINISHED}`;
  // The driver has a result for each of the statements.
  const [, found] = (await client.query(sql)) as unknown as QueryResult<{ isUnfinished: boolean }>[];
  if (found!.rows[0]!.isUnfinished) throw new UnfinishedMigration();
}
