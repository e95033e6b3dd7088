import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAddressLifts1795000011000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [integer, options] =
      runner.connection.options.type === 'postgres' ? ['bigint', ''] : ['INTEGER', 'STRICT, WITHOUT ROWID'];
    await runner.query(`CREATE TABLE address_lifts (
      address TEXT PRIMARY KEY NOT NULL,
      lifted_at ${integer} NOT NULL,
      changed_at ${integer} NOT NULL
    ) ${options}`);
    await runner.query('CREATE INDEX address_lifts_changed_at ON address_lifts (changed_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE address_lifts');
  }
}
