import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Without a default and without a value, a column is added at once, however many rows there are. */
export class AddNameLength1795100004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE visits ADD COLUMN name_length integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE visits DROP COLUMN name_length');
  }
}
