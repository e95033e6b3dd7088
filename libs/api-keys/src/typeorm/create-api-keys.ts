import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of `ApiKeyRecord` in SQLite or PostgreSQL. */
export class CreateApiKeys1795000050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE api_keys (
      id TEXT PRIMARY KEY NOT NULL,
      hash TEXT NOT NULL,
      name TEXT NOT NULL,
      account TEXT NOT NULL,
      scopes TEXT,
      created_at BIGINT NOT NULL,
      expires_at BIGINT,
      revoked_at BIGINT,
      replaced_by TEXT,
      changed_at BIGINT,
      facts TEXT NOT NULL
    )`);
    await runner.query('CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash)');
    await runner.query('CREATE INDEX api_keys_changed_at ON api_keys (changed_at)');
    await runner.query('CREATE INDEX api_keys_of_account ON api_keys (account, id) WHERE revoked_at IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys');
  }
}
