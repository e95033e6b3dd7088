import type { MigrationInterface, QueryRunner } from 'typeorm';

/** So that a page of the list of keys reads only that page, and counting some keys reads no rows. */
export class IndexApiKeys1795000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX api_keys_created_at ON api_keys (created_at, id)');
    // PostgreSQL counts all keys at once, for which it reads the table.
    if (runner.connection.options.type === 'better-sqlite3')
      await runner.query('CREATE INDEX api_keys_active ON api_keys (id, plan, revoked_at, expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS api_keys_active');
    await runner.query('DROP INDEX api_keys_created_at');
  }
}
