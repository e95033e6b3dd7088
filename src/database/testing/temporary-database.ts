import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Schema } from '../data-source.js';
import type { Database } from '../database.js';

export interface TemporaryDatabase {
  readonly database: Database;
  /** Closes the database and removes all trace of it. */
  remove(): Promise<void>;
}

export async function temporarySqlite(...schemas: Schema[]): Promise<TemporaryDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  const database = await openDatabase({ kind: 'sqlite', file: join(folder, 'test.db') }, schemas);
  return {
    database,
    remove: async () => {
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Every database that the suites can run against here, by name. */
export const databases: [string, (...schemas: Schema[]) => Promise<TemporaryDatabase>][] = [
  ['SQLite', temporarySqlite],
];
