import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateRateLimitUsage1795000005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [integer, options] =
      runner.connection.options.type === 'postgres' ? ['bigint', ''] : ['INTEGER', 'STRICT, WITHOUT ROWID'];
    await runner.query(`CREATE TABLE rate_limit_usage (
      subject TEXT PRIMARY KEY NOT NULL,
      day ${integer} NOT NULL,
      day_count ${integer} NOT NULL,
      ban_until ${integer} NOT NULL,
      ban_ms ${integer} NOT NULL
    ) ${options}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rate_limit_usage');
  }
}
