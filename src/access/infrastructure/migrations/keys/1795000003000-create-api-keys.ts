import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateApiKeys1795000003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [integer, options] =
      runner.connection.options.type === 'postgres' ? ['bigint', ''] : ['INTEGER', 'STRICT'];
    await runner.query(`CREATE TABLE api_keys (
      id TEXT PRIMARY KEY NOT NULL,
      hash TEXT NOT NULL,
      name TEXT NOT NULL,
      account TEXT NOT NULL,
      plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
      per_minute ${integer},
      per_day ${integer},
      created_at ${integer} NOT NULL,
      expires_at ${integer},
      revoked_at ${integer},
      replaced_by TEXT,
      ban_lifted_at ${integer},
      changed_at ${integer},
      CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL AND per_day IS NOT NULL))
    ) ${options}`);
    await runner.query('CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash)');
    await runner.query('CREATE INDEX api_keys_changed_at ON api_keys (changed_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys');
  }
}
