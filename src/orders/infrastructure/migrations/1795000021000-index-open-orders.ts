import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IndexOpenOrders1795000021000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "CREATE INDEX orders_open_placed_at ON orders (placed_at, id) WHERE status = 'placed'",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX orders_open_placed_at');
  }
}
