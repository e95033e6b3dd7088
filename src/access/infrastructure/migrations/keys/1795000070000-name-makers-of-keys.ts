import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which key has made a key, which nobody knows of the keys of before, and since when it is suspended. */
export class NameMakersOfKeys1795000070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const integer = runner.connection.options.type === 'postgres' ? 'bigint' : 'INTEGER';
    for (const [column, type] of [
      ['created_by', 'TEXT'],
      ['suspended_at', integer],
    ] as const)
      // New tables have them.
      if (!(await runner.hasColumn('api_keys', column)))
        await runner.query(`ALTER TABLE api_keys ADD COLUMN ${column} ${type}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS api_keys_created_by');
    for (const column of ['created_by', 'suspended_at'])
      await runner.query(`ALTER TABLE api_keys DROP COLUMN ${column}`);
  }
}
