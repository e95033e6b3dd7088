import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from '@animal-store/database';

/** The calls of deprecated operations are found by their keys, too. */
export class IndexKeysOfAccounts1795000024000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const columns = '(account, id)';
    await createIndex(runner, 'api_keys_account', { on: 'api_keys', columns });
    const active = `${columns} WHERE revoked_at IS NULL`;
    await createIndex(runner, 'api_keys_of_account', { on: 'api_keys', columns: active });
    await createIndex(runner, 'deprecated_calls_key', { on: 'deprecated_calls', columns: '(key_id, day)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX deprecated_calls_key');
    await runner.query('DROP INDEX api_keys_of_account');
    await runner.query('DROP INDEX api_keys_account');
  }
}
