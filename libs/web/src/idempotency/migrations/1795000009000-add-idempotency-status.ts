import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddIdempotencyStatus1795000009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_records ADD COLUMN status integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_records DROP COLUMN status');
  }
}
