import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of `IdempotencyRecord` in SQLite or PostgreSQL. */
export class CreateIdempotencyRecords1795000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const postgres = runner.connection.options.type === 'postgres';
    await runner.query(`CREATE TABLE idempotency_records (
      api_key_id text NOT NULL,
      idempotency_key text NOT NULL,
      fingerprint text NOT NULL,
      body text NOT NULL,
      headers text NOT NULL,
      created_at ${postgres ? 'bigint' : 'INTEGER'} NOT NULL,
      PRIMARY KEY (api_key_id, idempotency_key)
    ) ${postgres ? '' : 'STRICT, WITHOUT ROWID'}`);
    await runner.query('CREATE INDEX idempotency_records_created_at ON idempotency_records (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_records');
  }
}

export class AddIdempotencyStatus1795000009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_records ADD COLUMN status integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_records DROP COLUMN status');
  }
}
