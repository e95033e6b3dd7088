import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The scopes of a key. */
export class ExtendApiKeys1795000023000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // New tables have it.
    if (!(await runner.hasColumn('api_keys', 'scopes')))
      await runner.query('ALTER TABLE api_keys ADD COLUMN scopes TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN scopes');
  }
}
