import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an account has called is read by its name, whatever keys it has. */
export class CountDeprecatedCallsByAccount1795000073000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE deprecated_calls ADD COLUMN account TEXT');
    await runner.query(
      'UPDATE deprecated_calls SET account = (SELECT account FROM api_keys WHERE api_keys.id = deprecated_calls.key_id)',
    );
    await runner.query(
      'CREATE INDEX deprecated_calls_account ON deprecated_calls (account, day) WHERE account IS NOT NULL',
    );
    await runner.query('DROP INDEX deprecated_calls_key');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX deprecated_calls_key ON deprecated_calls (key_id, day)');
    await runner.query('DROP INDEX deprecated_calls_account');
    await runner.query('ALTER TABLE deprecated_calls DROP COLUMN account');
  }
}
