import { realpathSync } from 'node:fs';
import type { Database as SqliteConnection } from 'better-sqlite3';
import { DataSource } from 'typeorm';
import type { Contents, DatabaseOptions, OpeningOptions, SqliteOptions } from './database-options.js';
import type { Database } from '../database.js';
import { DatabaseNotOpened } from './database-not-opened.js';
import { FileLock } from '../sqlite/file-lock.js';
import { acceptBytea } from './typeorm-internals.js';
import { guarded } from '../stock-repositories.js';
import { SqliteDatabase } from '../sqlite/sqlite-database.js';
import { SqliteFile } from '../sqlite/sqlite-file.js';
import { prepareFile } from '../sqlite/sqlite-files.js';

/** Tables of the database: their record classes and the migrations that create them. */
export interface Tables {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM names classes this way
  readonly records: Function[];
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM names classes this way
  readonly migrations: Function[];
}

/**
 * How long SQLite itself waits for another process while a database is opened. This process does nothing else
 * meanwhile.
 */
const OPEN_TIMEOUT_MS = 5_000;
/** Four times the size of the write-ahead log while no other process reads. */
const MAX_IDLE_LOG_BYTES = 16 * 1_024 * 1_024;

/**
 * Opens the database in the settings, runs the migrations and returns the database.
 * @throws DatabaseNotOpened when that fails.
 */
export async function openDatabase(
  settings: DatabaseOptions,
  tables: readonly Tables[],
  opening: OpeningOptions = {},
): Promise<Database> {
  const contents = {
    entities: tables.flatMap(({ records }) => records),
    migrations: tables.flatMap(({ migrations }) => migrations) as unknown as string[],
    migrationsTransactionMode: 'each' as const,
  };
  try {
    if (settings.kind === 'sqlite') return await openSqlite(settings, contents, opening);
    // SQLite starts without this driver.
    const { openPostgres } = await import('./open-postgres.js');
    return await openPostgres(settings, contents, opening);
  } catch (error) {
    throw new DatabaseNotOpened(settings, error);
  }
}

async function openSqlite(
  settings: SqliteOptions,
  contents: Contents,
  { soleUser, onStatement }: OpeningOptions,
): Promise<Database> {
  const { file, handoverTimeoutMs } = settings;
  prepareFile(file);
  const lock = soleUser ? await FileLock.acquire(realpathSync(file), soleUser, handoverTimeoutMs) : null;
  try {
    return await openLocked(settings, contents, lock, onStatement);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

async function openLocked(
  { file, lockTimeoutMs }: SqliteOptions,
  contents: Contents,
  lock: FileLock | null,
  onStatement: OpeningOptions['onStatement'],
): Promise<Database> {
  const opened = new DataSource({
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
      connection.pragma(`journal_size_limit = ${MAX_IDLE_LOG_BYTES}`);
    },
  });
  acceptBytea(opened);
  const dataSource = await opened.initialize();
  try {
    await dataSource.runMigrations();
    await compareColumns(dataSource);
    const used = new SqliteFile(dataSource, { file, lockTimeoutMs, lock });
    const background = new SqliteDatabase(dataSource, used, onStatement);
    return guarded(dataSource, new SqliteDatabase(dataSource, used, onStatement, background));
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/** Without this, a migration that was changed after it had run would fail each request for its table. */
async function compareColumns(dataSource: DataSource): Promise<void> {
  for (const { tableName, columns } of dataSource.entityMetadatas) {
    const sql = 'SELECT name FROM pragma_table_info(?)';
    const made = await dataSource.query<{ name: string }[]>(sql, [tableName]);
    if (made.length === 0) throw new Error(`there is no table ${tableName}, as no migration creates it`);
    const missing = columns.find(({ databaseName }) => made.every(({ name }) => name !== databaseName));
    if (missing)
      throw new Error(
        `its table ${tableName} has no column ${missing.databaseName}. A migration that has run here is not run again: add another one, or remove the file`,
      );
  }
}
