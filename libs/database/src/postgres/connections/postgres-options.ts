import pg, { type ClientBase, type Pool, type PoolConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { PostgresOptions } from '../../opening/database-options.js';
import { isPooled, type Limits, preparePooled, prepareSession } from './pooler.js';
import { type Primary, requirePrimary } from './primary.js';

const PG_INT8 = 20;

/** Firewalls drop connections that seem idle. Node then probes the server ten times, a second apart. */
const KEEP_ALIVE_AFTER_MS = 5_000;

/** The pool of the statements of requests and of background work, each of which has a limited time. */
export interface StatementPool extends PoolConfig {
  readonly limits: Limits;
}

export function statementPool(max: number, limits: Limits): StatementPool {
  return {
    max,
    // Open connections stay open: see Connections.
    min: max,
    limits,
    // The server may disappear silently, so the client stops waiting shortly after the server would.
    query_timeout: limits.statementTimeoutMs + 1_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === PG_INT8 ? BigInt : (pg.types.getTypeParser(oid, format) as unknown),
    },
  };
}

/** TypeORM's options for a pool of connections to the primary. */
export function postgresOptions(
  { url, applicationName, connectTimeoutMs }: PostgresOptions,
  primary: Primary,
  pool: Partial<StatementPool> = {},
): DataSourceOptions & { type: 'postgres' } {
  return {
    type: 'postgres',
    url,
    applicationName,
    connectTimeoutMS: connectTimeoutMs,
    poolErrorHandler: ignore,
    extra: toPrimary(primary, pool),
  };
}

/** A pool without TypeORM, one of whose connections is open. */
export async function openPool(
  { url, applicationName, connectTimeoutMs }: PostgresOptions,
  primary: Primary,
  pool: Partial<StatementPool>,
): Promise<Pool> {
  const opened = new pg.Pool({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    ...toPrimary(primary, pool),
  });
  opened.on('error', ignore);
  try {
    (await opened.connect()).release();
    return opened;
  } catch (error) {
    await opened.end();
    throw error;
  }
}

function toPrimary(primary: Primary, { limits, ...pool }: Partial<StatementPool>) {
  const onConnect = async (client: ClientBase): Promise<void> => {
    const { pid } = await requirePrimary(client);
    if (limits) await (isPooled(client, pid) ? preparePooled : prepareSession)(client, limits);
  };
  return { ...pool, ...primary.poolOptions(), onConnect };
}

/** An idle connection that breaks needs no handling: the next query finds out and reports it. */
function ignore(): void {}
