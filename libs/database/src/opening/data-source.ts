import { realpathSync } from 'node:fs';
import type { Database as SqliteConnection } from 'better-sqlite3';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { DatabaseOptions, PostgresOptions, SqliteOptions } from './database-options.js';
import type { Database } from '../database.js';
import { DatabaseNotOpened } from './database-not-opened.js';
import { FileLock } from '../sqlite/file-lock.js';
import { migratePostgres } from '../postgres/postgres-migrations.js';
import { postgresOptions } from '../postgres/postgres-options.js';
import { PostgresDatabase } from '../postgres/postgres-database.js';
import { Primary } from '../postgres/primary.js';
import { SqliteDatabase } from '../sqlite/sqlite-database.js';
import { prepareFile } from '../sqlite/sqlite-files.js';

/** Tables of the database: their record classes and the migrations that create them. */
export interface Tables {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM names classes this way
  readonly records: Function[];
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM names classes this way
  readonly migrations: Function[];
}

/** The only server on a database file. PostgreSQL may have any number of servers. */
export interface SoleUser {
  /** Shown to other processes that find the file in use, such as 'the server'. */
  readonly name: string;
  /** The time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

const PG_INT8 = 20;
/** Of background work and checks together: one writes, the other one always responds. */
const BACKGROUND_CONNECTIONS = 2;

/** An idle connection shows after this time that it is in use, as firewalls forget those that seem not to be. */
const KEEP_ALIVE_AFTER_MS = 30_000;

/**
 * How long SQLite itself waits for another process while a database is opened. This process does nothing else
 * meanwhile.
 */
const OPEN_TIMEOUT_MS = 5_000;
/** Four times the size of the write-ahead log while no other process reads. */
const LONGEST_IDLE_LOG_BYTES = 16 * 1_024 * 1_024;

/**
 * Opens the database in the settings, runs the migrations and returns the database.
 * @param soleUser locks an embedded database until it is closed or the process ends. Without it the file is shared, as the
 * `keys` command line shares it with a server.
 * @param onWaiting called with a sentence when a migration has to wait for other users of PostgreSQL
 * @throws DatabaseNotOpened when that fails.
 */
export async function openDatabase(
  settings: DatabaseOptions,
  tables: readonly Tables[],
  soleUser: SoleUser | null = null,
  onWaiting: (sentence: string) => void = () => undefined,
): Promise<Database> {
  const contents = {
    entities: tables.flatMap(({ records }) => records),
    migrations: tables.flatMap(({ migrations }) => migrations) as unknown as string[],
    migrationsTransactionMode: 'each' as const,
  };
  try {
    return await (settings.kind === 'sqlite'
      ? openSqlite(settings, contents, soleUser)
      : openPostgres(settings, contents, onWaiting));
  } catch (error) {
    throw new DatabaseNotOpened(settings, error);
  }
}

type Contents = Pick<DataSourceOptions, 'entities' | 'migrations' | 'migrationsTransactionMode'>;

async function openSqlite(
  settings: SqliteOptions,
  contents: Contents,
  soleUser: SoleUser | null,
): Promise<Database> {
  const { file, handoverTimeoutMs: timeoutMs } = settings;
  prepareFile(file);
  const lock =
    soleUser &&
    (await FileLock.acquire(realpathSync(file), { holder: soleUser.name, nowMs: soleUser.nowMs, timeoutMs }));
  try {
    return await openLocked(settings, contents, lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

async function openLocked(
  { file, lockTimeoutMs }: SqliteOptions,
  contents: Contents,
  lock: FileLock | null,
): Promise<Database> {
  const dataSource = await new DataSource({
    ...contents,
    type: 'better-sqlite3',
    database: file,
    enableWAL: true,
    timeout: OPEN_TIMEOUT_MS,
    prepareDatabase: (connection: SqliteConnection) => {
      // A commit is on the disk before its response is sent, also in WAL mode.
      connection.pragma('synchronous = FULL');
      // The write-ahead log grows while another process has a long read transaction. Without a limit the file would
      // never shrink again.
      connection.pragma(`journal_size_limit = ${LONGEST_IDLE_LOG_BYTES}`);
    },
  }).initialize();
  try {
    await dataSource.runMigrations();
    return new SqliteDatabase(dataSource, { file, lockTimeoutMs, lock });
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

async function openPostgres(
  settings: PostgresOptions,
  contents: Contents,
  onWaiting: (sentence: string) => void,
): Promise<Database> {
  const { url, otherUrls, poolSize, queueSize, connectTimeoutMs, statementTimeoutMs } = settings;
  const primary = new Primary([url, ...otherUrls], connectTimeoutMs);
  await primary.find();
  await migratePostgres({ ...contents, ...postgresOptions(settings, primary) }, settings, onWaiting);
  const open = (connections: number, entities: Contents['entities']): Promise<DataSource> =>
    new DataSource({
      entities,
      ...postgresOptions(settings, primary, {
        max: connections,
        // Open connections stay open: see PostgresDatabase.openConnections.
        min: connections,
        statement_timeout: statementTimeoutMs,
        // The server may disappear silently, so the client gives up shortly after the server would have.
        query_timeout: statementTimeoutMs + 1_000,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
        types: {
          getTypeParser: (oid: number, format?: 'text' | 'binary') =>
            oid === PG_INT8 ? BigInt : (pg.types.getTypeParser(oid, format) as unknown),
        },
      }),
    }).initialize();
  const openParts = async (connections: number, background?: Database): Promise<Database> => {
    // Half of the connections write, the others read. There is at least one of each.
    const forWrites = Math.max(1, Math.floor(connections / 2));
    const reads = await open(Math.max(1, connections - forWrites), contents.entities);
    try {
      const writes = await open(forWrites, []);
      return new PostgresDatabase(reads, { writes, queueSize, connectTimeoutMs, primary, background });
    } catch (error) {
      await reads.destroy();
      throw error;
    }
  };
  // Separate connections, so that changes of keys can be read however many requests are waiting. A server that cannot
  // read them looks up every key again.
  const background = await openParts(BACKGROUND_CONNECTIONS);
  try {
    return await openParts(poolSize, background);
  } catch (error) {
    await background.close();
    throw error;
  }
}
