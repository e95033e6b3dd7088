import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Kinds of which a subject has one open job. Nothing looks for its other ones. */
export class OpenOneJobASubject1795000031000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const postgres = runner.connection.options.type === 'postgres';
    await runner.query(
      `ALTER TABLE jobs ADD COLUMN open_subject text ${postgres ? 'COLLATE "C"' : ''}`.trim(),
    );
    await runner.query(`ALTER TABLE jobs ADD COLUMN again_at ${postgres ? 'bigint' : 'INTEGER'}`);
    await runner.query('DROP INDEX jobs_subject');
    await runner.query('CREATE UNIQUE INDEX jobs_open ON jobs (kind, open_subject) WHERE ended_at IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX jobs_open');
    await runner.query('CREATE INDEX jobs_subject ON jobs (kind, state, subject, id) WHERE ended_at IS NULL');
    for (const column of ['again_at', 'open_subject'])
      await runner.query(`ALTER TABLE jobs DROP COLUMN ${column}`);
  }
}
