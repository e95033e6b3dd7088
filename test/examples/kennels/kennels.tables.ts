import type { QueryRunner } from 'typeorm';
import { Kennel } from './kennel.js';

class CreateKennels1795100005000 {
  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres';
    await runner.query(`CREATE TABLE kennels (
      id ${isPostgres ? 'serial PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL'},
      name text NOT NULL UNIQUE,
      places integer NOT NULL,
      "builtAt" ${isPostgres ? 'timestamp' : 'datetime'} NOT NULL DEFAULT CURRENT_TIMESTAMP
    )`);
  }
}

export const kennelsTables = { records: [Kennel], migrations: [CreateKennels1795100005000] };
