import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '@animal-store/database';

export class CreateVisits1795100002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, strict } = columnTypes(runner);
    await runner.query(`CREATE TABLE visits (
      id ${id},
      name text NOT NULL
    ) ${strict}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE visits');
  }
}
