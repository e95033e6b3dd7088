import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import type { DatabaseOptions, SqliteOptions } from './database-options.js';
import { DatabaseNotOpened, nameOf } from './database-not-opened.js';

/** The database in the settings does not exist or is empty. The message is one line and contains no password. */
export class DatabaseMissing extends Error {
  constructor(settings: DatabaseOptions) {
    super(`The database ${locationOf(settings)} does not exist or is empty: is DATABASE_URL right?`);
    this.name = 'DatabaseMissing';
  }
}

/**
 * Whether the database in the settings has the table. Creates nothing and changes nothing.
 * @throws DatabaseNotOpened when the database cannot be read.
 */
export async function databaseHasTable(settings: DatabaseOptions, table: string): Promise<boolean> {
  try {
    if (settings.kind === 'sqlite') return fileHasTable(settings, table);
    const { serverHasTable } = await import('./open-postgres.js');
    return await serverHasTable(settings, table);
  } catch (error) {
    throw new DatabaseNotOpened(settings, error);
  }
}

/** The name of a database in messages, with the full path of a file, as the working directory may be unexpected. */
export function locationOf(settings: DatabaseOptions): string {
  return nameOf(settings.kind === 'sqlite' ? { ...settings, file: resolve(settings.file) } : settings);
}

function fileHasTable({ file }: SqliteOptions, table: string): boolean {
  // `statSync` throws for a folder without access.
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
  const connection = new SqliteConnection(file, { readonly: true, fileMustExist: true });
  try {
    const names = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?");
    return names.get(table) !== undefined;
  } finally {
    connection.close();
  }
}
