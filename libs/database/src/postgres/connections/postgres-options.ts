import type { ClientBase, PoolConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { PostgresOptions } from '../../opening/database-options.js';
import { isPooled, type Limits, preparePooled, prepareSession } from './pooler.js';
import { type Primary, requirePrimary } from './primary.js';

/** The pool of the statements of requests and of background work, each of which has a limited time. */
export interface StatementPool extends PoolConfig {
  readonly limits: Limits;
}

/** TypeORM's options for a pool of connections to the primary. */
export function postgresOptions(
  { url, applicationName, connectTimeoutMs }: PostgresOptions,
  primary: Primary,
  { limits, ...pool }: Partial<StatementPool> = {},
): DataSourceOptions & { type: 'postgres' } {
  const onConnect = async (client: ClientBase): Promise<void> => {
    const pid = await requirePrimary(client);
    if (limits) await (isPooled(client, pid) ? preparePooled : prepareSession)(client, limits);
  };
  return {
    type: 'postgres',
    url,
    applicationName,
    connectTimeoutMS: connectTimeoutMs,
    // An idle connection that breaks needs no handling: the next query finds out and reports it.
    poolErrorHandler: () => undefined,
    extra: { ...pool, ...primary.poolOptions(), onConnect },
  };
}
