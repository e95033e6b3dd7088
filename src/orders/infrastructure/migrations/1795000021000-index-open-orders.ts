import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from '@animal-store/database';

export class IndexOpenOrders1795000021000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const columns = "(placed_at, id) WHERE status = 'placed'";
    await createIndex(runner, 'orders_open_placed_at', { on: 'orders', columns });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX orders_open_placed_at');
  }
}
