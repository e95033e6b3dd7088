import type { MigrationInterface, QueryRunner } from 'typeorm';

/** So that what shows a ban says why. */
export class CountRefusalsOfBans1795000012000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const integer = runner.connection.options.type === 'postgres' ? 'bigint' : 'INTEGER';
    await runner.query(`ALTER TABLE rate_limit_usage ADD COLUMN ban_refusals ${integer}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rate_limit_usage DROP COLUMN ban_refusals');
  }
}
