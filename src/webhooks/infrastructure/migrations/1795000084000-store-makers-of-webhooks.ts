import type { MigrationInterface, QueryRunner } from 'typeorm';

export class StoreMakersOfWebhooks1795000084000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks ADD COLUMN made_by text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks DROP COLUMN made_by');
  }
}
