import type { QueryRunner } from 'typeorm';
import { errorCode } from '../driver-errors.js';

/** How long an index waits for the one that a server of the previous release still builds, or for a VACUUM. */
const BUILDER_TIMEOUT_MS = 10_000;

/** "Tuple concurrently updated": a build releases its lock just before it commits. */
const BUILT_MEANWHILE = 'XX000';

const CONCURRENTLY = 'INDEX CONCURRENTLY /* migration */';

/** Migrations that build or remove an index and wait for older transactions. An administrator may build others. */
export const WAITING_BUILDS = `pg_stat_activity WHERE datname = current_database() AND state = 'active'
  AND (query LIKE 'CREATE ${CONCURRENTLY}%' OR query LIKE 'DROP ${CONCURRENTLY}%')
  AND cardinality(pg_blocking_pids(pid)) > 0`;

/**
 * Creates an index on a table that others write to, for a migration with `transaction = false`. When the migration is
 * interrupted and runs again, it continues.
 * @throws TypeError within a transaction
 * @example
 * ```ts
 * readonly transaction = false;
 * async up(runner: QueryRunner): Promise<void> {
 *   await createIndex(runner, 'visits_day', { on: 'visits', columns: '(day, id)' });
 * }
 * ```
 */
export async function createIndex(
  runner: QueryRunner,
  name: string,
  { on, columns }: { on: string; columns: string },
): Promise<void> {
  // PostgreSQL would refuse it only when the table has rows.
  if (runner.isTransactionActive)
    throw new TypeError(`A migration that creates ${name} needs \`transaction = false\`.`);
  const index = `${name} ON ${on} ${columns}`;
  if (runner.connection.options.type !== 'postgres') {
    await runner.query(`CREATE INDEX IF NOT EXISTS ${index}`);
    return;
  }
  const found = await runner.manager.transaction(async () => {
    await runner.query(`SET LOCAL lock_timeout = ${BUILDER_TIMEOUT_MS}`);
    // No other process builds or removes it meanwhile. Writers continue.
    await runner.query(`LOCK TABLE ${on} IN SHARE UPDATE EXCLUSIVE MODE`);
    const [state] = (await runner.query(
      `SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)) AS "isValid",
        EXISTS (SELECT FROM ${on}) AS "hasRows"`,
      [name],
    )) as [{ isValid: boolean | null; hasRows: boolean }];
    if (state.isValid !== null || state.hasRows) return state;
    await runner.query(`CREATE INDEX ${index}`);
    return { isValid: true };
  });
  if (found.isValid) return;
  if (found.isValid === false) {
    try {
      await runner.query(`DROP ${CONCURRENTLY} ${name}`);
    } catch (error) {
      if (errorCode(error) !== BUILT_MEANWHILE) throw error;
      return createIndex(runner, name, { on, columns });
    }
  }
  await runner.query(`CREATE ${CONCURRENTLY} ${index}`);
}
