import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from '@animal-store/database';

export class OrderByName1795100005000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // In the order of characters, as SQLite has it. The order of a language would scatter what begins alike.
    if (runner.connection.options.type === 'postgres')
      await runner.query('ALTER TABLE visits ALTER COLUMN name TYPE text COLLATE "C"');
    await createIndex(runner, 'visits_name', { on: 'visits', columns: '(name, id)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX visits_name');
  }
}
