import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The scopes of a key. The calls of deprecated operations are found by their keys, too. */
export class ExtendApiKeys1795000023000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN scopes TEXT');
    await runner.query('CREATE INDEX api_keys_of_account ON api_keys (account, id) WHERE revoked_at IS NULL');
    await runner.query('CREATE INDEX deprecated_calls_key ON deprecated_calls (key_id, day)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX deprecated_calls_key');
    await runner.query('DROP INDEX api_keys_of_account');
    await runner.query('ALTER TABLE api_keys DROP COLUMN scopes');
  }
}
