import type { QueryRunner } from 'typeorm';
import { Kennel } from './kennel.entity.js';

class CreateKennels1795100005000 {
  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres';
    await runner.query(`CREATE TABLE kennels (
      id ${isPostgres ? 'serial PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL'},
      name text NOT NULL,
      places integer NOT NULL,
      "builtAt" ${isPostgres ? 'timestamp NOT NULL DEFAULT now()' : "datetime NOT NULL DEFAULT (datetime('now'))"}
    )`);
    await runner.query('CREATE UNIQUE INDEX kennels_name ON kennels (name)');
  }
}

export const kennelsTables = { records: [Kennel], migrations: [CreateKennels1795100005000] };
