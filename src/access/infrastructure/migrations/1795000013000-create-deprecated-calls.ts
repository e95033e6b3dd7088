import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateDeprecatedCalls1795000013000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [integer, options] =
      runner.connection.options.type === 'postgres' ? ['bigint', ''] : ['INTEGER', 'STRICT, WITHOUT ROWID'];
    // The day first: the last ones are read, and the first ones removed.
    await runner.query(`CREATE TABLE deprecated_calls (
      day ${integer} NOT NULL,
      operation TEXT NOT NULL,
      key_id TEXT NOT NULL,
      calls ${integer} NOT NULL,
      PRIMARY KEY (day, operation, key_id)
    ) ${options}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deprecated_calls');
  }
}
