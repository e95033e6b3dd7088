import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { DataSource } from 'typeorm';
import type { PostgresSettings, Settings, SqliteSettings } from '../config/settings.js';
import { DatabaseNotOpened, nameOf } from './database-not-opened.js';

/** There is nothing to work on where the settings say. The message is one line and has no password. */
export class DatabaseMissing extends Error {
  constructor(settings: Settings['database']) {
    super(`The database ${locationOf(settings)} does not exist or is empty: is DATABASE_URL right?`);
    this.name = 'DatabaseMissing';
  }
}

/**
 * Whether the database that the settings name holds `table`. Creates nothing and changes nothing.
 * @throws DatabaseNotOpened when it cannot tell.
 */
export async function databaseHolds(settings: Settings['database'], table: string): Promise<boolean> {
  try {
    return settings.kind === 'sqlite' ? fileHolds(settings, table) : await serverHolds(settings, table);
  } catch (error) {
    throw new DatabaseNotOpened(settings, error);
  }
}

/** The name of a database, with the whole path of a file: the folder may be another than expected. */
export function locationOf(settings: Settings['database']): string {
  return nameOf(settings.kind === 'sqlite' ? { ...settings, file: resolve(settings.file) } : settings);
}

function fileHolds({ file }: SqliteSettings, table: string): boolean {
  if (!existsSync(file)) return false;
  const connection = new SqliteConnection(file, { readonly: true, fileMustExist: true });
  try {
    const names = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?");
    return names.get(table) !== undefined;
  } finally {
    connection.close();
  }
}

async function serverHolds({ url, connectTimeoutMs }: PostgresSettings, table: string): Promise<boolean> {
  const dataSource = await new DataSource({
    type: 'postgres',
    url,
    applicationName: 'animal-store',
    connectTimeoutMS: connectTimeoutMs,
    // A connection that breaks while it idles has nobody to tell; the next query finds out and says so.
    poolErrorHandler: () => undefined,
  }).initialize();
  try {
    const [found] = await dataSource.query<{ name: string | null }[]>('SELECT to_regclass($1) AS name', [
      table,
    ]);
    return found!.name !== null;
  } finally {
    await dataSource.destroy();
  }
}
