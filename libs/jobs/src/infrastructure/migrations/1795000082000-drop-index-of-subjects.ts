import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Nothing looks for the jobs of a subject any more, but for its open one. */
export class DropIndexOfSubjects1795000082000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX jobs_subject');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX jobs_subject ON jobs (kind, state, subject, id) WHERE ended_at IS NULL');
  }
}
