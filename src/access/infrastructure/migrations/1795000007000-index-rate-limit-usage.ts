import type { MigrationInterface, QueryRunner } from 'typeorm';

/** So that a start reads only the days and bans that still count; those that do not are removed in order. */
export class IndexRateLimitUsage1795000007000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX rate_limit_usage_day ON rate_limit_usage (day, subject)');
    await runner.query('CREATE INDEX rate_limit_usage_ban_until ON rate_limit_usage (ban_until)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX rate_limit_usage_ban_until');
    await runner.query('DROP INDEX rate_limit_usage_day');
  }
}
