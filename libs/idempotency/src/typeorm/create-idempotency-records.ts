import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of `IdempotencyRecord` in SQLite or PostgreSQL. */
export class CreateIdempotencyRecords1795000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE idempotency_records (
      caller TEXT NOT NULL,
      idempotency_key TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      status INTEGER,
      headers TEXT NOT NULL,
      body TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (caller, idempotency_key)
    )`);
    await runner.query('CREATE INDEX idempotency_records_created_at ON idempotency_records (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_records');
  }
}
