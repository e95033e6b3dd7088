import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ApiKeyRecord } from './api-key.record.js';

/**
 * Creates the table `api_keys` with the columns of `ApiKeyColumns` in SQLite or PostgreSQL, for a migration.
 * @param more further columns and constraints, as in SQL
 */
export async function createApiKeys(runner: QueryRunner, more: readonly string[]): Promise<void> {
  const [integer, options] =
    runner.connection.options.type === 'postgres' ? ['BIGINT', ''] : ['INTEGER', 'STRICT'];
  const columns = [
    'id TEXT PRIMARY KEY NOT NULL',
    'hash TEXT NOT NULL',
    'name TEXT NOT NULL',
    'account TEXT NOT NULL',
    'scopes TEXT',
    `created_at ${integer} NOT NULL`,
    'created_by TEXT',
    `expires_at ${integer}`,
    `revoked_at ${integer}`,
    'replaced_by TEXT',
    `changed_at ${integer}`,
  ];
  await runner.query(`CREATE TABLE api_keys (${[...columns, ...more].join(', ')}) ${options}`);
  await runner.query('CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash)');
  await runner.query('CREATE INDEX api_keys_changed_at ON api_keys (changed_at)');
  await runner.query('CREATE INDEX api_keys_of_account ON api_keys (account, id) WHERE revoked_at IS NULL');
  await runner.query(
    'CREATE INDEX api_keys_created_by ON api_keys (created_by) WHERE created_by IS NOT NULL',
  );
}

/** Creates the table of `ApiKeyRecord`. */
export class CreateApiKeys1795000050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createApiKeys(runner, ['facts TEXT NOT NULL']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys');
  }
}

/** For the options of a `DataSource`: add your own entities and migrations to these. */
export const apiKeyTables = {
  entities: [ApiKeyRecord],
  migrations: [CreateApiKeys1795000050000],
  migrationsRun: true,
};
