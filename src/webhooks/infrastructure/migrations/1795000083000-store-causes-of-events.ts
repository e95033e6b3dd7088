import type { MigrationInterface, QueryRunner } from 'typeorm';

export class StoreCausesOfEvents1795000083000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events ADD COLUMN cause text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events DROP COLUMN cause');
  }
}
