import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Database as SqliteConnection } from 'better-sqlite3';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Settings } from '../config/settings.js';
import type { Database } from './database.js';
import { PostgresDatabase } from './postgres-database.js';
import { SqliteDatabase } from './sqlite-database.js';

/** What a context keeps in the database: its tables and how they came to be. */
export interface Schema {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM names classes this way
  readonly records: Function[];
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- as above
  readonly migrations: Function[];
}

/** Any fixed number will do, as long as every replica takes the same one. */
const MIGRATION_LOCK = 7_201_030;
const PG_INT8 = 20;

/** Opens the database that the settings name, brings its tables up to date and returns it. */
export async function openDatabase(
  settings: Settings['database'],
  schemas: readonly Schema[],
): Promise<Database> {
  const dataSource = await new DataSource({
    ...connectionOptions(settings),
    entities: schemas.flatMap(({ records }) => records),
    migrations: schemas.flatMap(({ migrations }) => migrations) as unknown as string[],
    migrationsTransactionMode: 'each',
  }).initialize();
  try {
    return settings.kind === 'sqlite'
      ? await openSqlite(dataSource, settings.file)
      : await openPostgres(dataSource);
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

function connectionOptions(settings: Settings['database']): DataSourceOptions {
  if (settings.kind === 'sqlite') {
    mkdirSync(dirname(resolve(settings.file)), { recursive: true });
    return {
      type: 'better-sqlite3',
      database: settings.file,
      enableWAL: true,
      // How long a write waits for another process, such as the keys command line, before it gives up.
      timeout: 5_000,
      prepareDatabase: (connection: SqliteConnection) => {
        // A commit is on the disk before it is answered, also in WAL mode.
        connection.pragma('synchronous = FULL');
      },
    };
  }
  return {
    type: 'postgres',
    url: settings.url,
    poolSize: settings.poolSize,
    applicationName: 'animal-store',
    connectTimeoutMS: settings.connectTimeoutMs,
    // A connection that breaks while it idles has nobody to tell; the next query finds out and says so.
    poolErrorHandler: () => undefined,
    extra: {
      statement_timeout: settings.statementTimeoutMs,
      // The server may be gone without a word; the client then gives up a little after the server should have.
      query_timeout: settings.statementTimeoutMs + 1_000,
      keepAlive: true,
      types: {
        getTypeParser: (oid: number, format?: 'text' | 'binary') =>
          oid === PG_INT8 ? BigInt : (pg.types.getTypeParser(oid, format) as unknown),
      },
    },
  };
}

async function openSqlite(dataSource: DataSource, file: string): Promise<Database> {
  await dataSource.runMigrations();
  return new SqliteDatabase(dataSource, file);
}

async function openPostgres(dataSource: DataSource): Promise<Database> {
  const lock = dataSource.createQueryRunner();
  try {
    // Replicas that start together take turns; the second one finds the work done.
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await dataSource.runMigrations();
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
  }
  return new PostgresDatabase(dataSource);
}
