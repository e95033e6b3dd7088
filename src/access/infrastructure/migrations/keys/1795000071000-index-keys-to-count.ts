import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from '@animal-store/database';

/** Keys of one maker are found, and those of an account counted, whatever there was of before. */
export class IndexKeysToCount1795000071000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const on = 'api_keys';
    const made = '(created_by) WHERE created_by IS NOT NULL';
    await createIndex(runner, 'api_keys_created_by', { on, columns: made });
    const suspended = '(account) WHERE suspended_at IS NOT NULL';
    await createIndex(runner, 'api_keys_suspended', { on, columns: suspended });
    const ending = '(account, expires_at) WHERE revoked_at IS NULL';
    await createIndex(runner, 'api_keys_ends_of_account', { on, columns: ending });
    await createIndex(runner, 'api_keys_of_account_created', { on, columns: '(account, created_at, id)' });
    await runner.query('DROP INDEX IF EXISTS api_keys_account');
  }

  async down(runner: QueryRunner): Promise<void> {
    await createIndex(runner, 'api_keys_account', { on: 'api_keys', columns: '(account, id)' });
    await runner.query('DROP INDEX api_keys_suspended');
    await runner.query('DROP INDEX api_keys_of_account_created');
    await runner.query('DROP INDEX api_keys_ends_of_account');
  }
}
