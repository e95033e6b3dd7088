import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which key has made a key. Nobody knows that of the keys of before. */
export class NameMakersOfKeys1795000070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // New tables have it.
    if (!(await runner.hasColumn('api_keys', 'created_by')))
      await runner.query('ALTER TABLE api_keys ADD COLUMN created_by TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS api_keys_created_by');
    await runner.query('ALTER TABLE api_keys DROP COLUMN created_by');
  }
}
