import type { PoolConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { PostgresSettings } from '../../config/settings.js';
import type { Primary } from './primary.js';

/** TypeORM's options for a pool of connections to the primary. */
export function postgresOptions(
  { url, connectTimeoutMs }: PostgresSettings,
  primary: Primary,
  pool: PoolConfig = {},
): DataSourceOptions & { type: 'postgres' } {
  return {
    type: 'postgres',
    url,
    applicationName: 'animal-store',
    connectTimeoutMS: connectTimeoutMs,
    // An idle connection that breaks needs no handling: the next query finds out and reports it.
    poolErrorHandler: () => undefined,
    extra: { ...pool, ...primary.poolOptions() },
  };
}
