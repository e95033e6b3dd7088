import type { ClientBase, PoolConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { PostgresOptions } from '../opening/database-options.js';
import { type Primary, requirePrimary } from './primary.js';
import { LOCK_AS_USER, requireFinished } from './unfinished-migration.js';

/**
 * Each statement is planned once, without its values, so no value can change its plan. PostgreSQL then expects more rows
 * than there are. With many rows in a table it would compile such a plan to machine code, which takes much longer than
 * running it.
 *
 * The plan stays while the table grows. For a table that was empty PostgreSQL would plan to read all of it.
 */
const SESSION = 'SET plan_cache_mode = force_generic_plan; SET jit = off; SET enable_seqscan = off';

/** TypeORM's options for a pool of connections to the primary. */
export function postgresOptions(
  { url, applicationName, connectTimeoutMs, isMigrationTarget }: PostgresOptions,
  primary: Primary,
  pool: PoolConfig = {},
): DataSourceOptions & { type: 'postgres' } {
  return {
    type: 'postgres',
    url,
    applicationName,
    connectTimeoutMS: connectTimeoutMs,
    // An idle connection that breaks needs no handling: the next query finds out and reports it.
    poolErrorHandler: () => undefined,
    extra: { ...pool, ...primary.poolOptions(), onConnect: isMigrationTarget ? prepareSession : prepareUse },
  };
}

async function prepareSession(client: ClientBase): Promise<void> {
  await requirePrimary(client);
  await client.query(SESSION);
}

async function prepareUse(client: ClientBase): Promise<void> {
  await prepareSession(client);
  await client.query(LOCK_AS_USER);
  // In a statement of its own, as a migration may have begun while the lock was waited for.
  await requireFinished(client);
}
