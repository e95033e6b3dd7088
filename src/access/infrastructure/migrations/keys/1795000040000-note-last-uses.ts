import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a key was last used. Nobody knows that of the keys of before: they count as used on the day of the migration, so
 * that none of them is called unused for longer than anybody has looked.
 */
export class NoteLastUses1795000040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (runner.connection.options.type === 'postgres') {
      // A default is given to the rows that are there without writing them.
      const today = 'CAST(floor(extract(epoch FROM now()) / 86400) AS bigint)';
      await runner.query(`ALTER TABLE api_keys ADD COLUMN last_used_day bigint DEFAULT ${today}`);
      await runner.query('ALTER TABLE api_keys ALTER COLUMN last_used_day DROP DEFAULT');
      return;
    }
    await runner.query('ALTER TABLE api_keys ADD COLUMN last_used_day INTEGER');
    await runner.query('UPDATE api_keys SET last_used_day = unixepoch() / 86400');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN last_used_day');
  }
}
