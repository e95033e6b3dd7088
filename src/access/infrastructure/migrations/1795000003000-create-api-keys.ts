import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createApiKeys } from '@animal-store/api-keys/typeorm';

/** The columns of the service beside those of the package. */
export class CreateApiKeys1795000003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const integer = runner.connection.options.type === 'postgres' ? 'bigint' : 'INTEGER';
    await createApiKeys(runner, [
      "plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise'))",
      `per_minute ${integer}`,
      `per_day ${integer}`,
      "CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL AND per_day IS NOT NULL))",
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys');
  }
}
