import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from '@animal-store/database';

/** How many keys a transaction reads: so long those wait who write what it changes. */
const STEP_KEYS = 5_000;

/** Otherwise each step would read all counts, as PostgreSQL does not know how few it needs. */
const BY_INDEX = 'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL jit = off';

const ACCOUNT = "CASE WHEN substr(account, 1, 4) = 'key_' THEN account ELSE 'account ' || account END";
const IN_STEP =
  'account > (SELECT done FROM counted_accounts) AND account <= (SELECT last FROM counted_accounts)';

/**
 * What the keys of an account have used today, and how long they are banned, becomes that of the account, as do lifts.
 * `counted_accounts` has the last account that is done, as no step may run twice. The next migration removes it.
 */
export class CountByAccount1795000022000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, 'api_keys_account', { on: 'api_keys', columns: '(account, id)' });
    await runner.manager.transaction(async () => {
      await runner.query('CREATE TABLE IF NOT EXISTS counted_accounts (done TEXT NOT NULL, last TEXT)');
      await runner.query(
        "INSERT INTO counted_accounts (done) SELECT '' WHERE NOT EXISTS (SELECT 1 FROM counted_accounts)",
      );
    });
    while (await runner.manager.transaction(() => step(runner)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_account');
  }
}

/** Returns whether there was something to do. */
async function step(runner: QueryRunner): Promise<boolean> {
  if (runner.connection.options.type === 'postgres') await runner.query(BY_INDEX);
  await runner.query(`UPDATE counted_accounts SET last = (SELECT MAX(account) FROM (
    SELECT account FROM api_keys WHERE account > counted_accounts.done ORDER BY account, id LIMIT ${STEP_KEYS}) AS step)`);
  const rest = 'SELECT 1 FROM counted_accounts WHERE last IS NOT NULL';
  if (((await runner.query(rest)) as unknown[]).length === 0) return false;
  await runner.query(`INSERT INTO rate_limit_usage (subject, day, day_count, ban_until, ban_ms, ban_refusals)
    SELECT who, MAX(day), SUM(CASE WHEN day = last_day THEN day_count ELSE 0 END), MAX(ban_until),
      MAX(CASE WHEN place = 1 THEN ban_ms END), MAX(CASE WHEN place = 1 THEN ban_refusals END)
    FROM (
      SELECT who, used.*, MAX(day) OVER (PARTITION BY who) AS last_day,
        ROW_NUMBER() OVER (PARTITION BY who ORDER BY ban_until DESC) AS place
      FROM (SELECT id, ${ACCOUNT} AS who FROM api_keys WHERE ${IN_STEP}) AS keys
      JOIN rate_limit_usage AS used ON keys.id = used.subject
    ) AS counted
    GROUP BY who HAVING COUNT(CASE WHEN subject <> who THEN 1 END) > 0
    ON CONFLICT (subject) DO UPDATE SET day = excluded.day, day_count = excluded.day_count,
      ban_until = excluded.ban_until, ban_ms = excluded.ban_ms, ban_refusals = excluded.ban_refusals`);
  // Nobody is counted by these any more. The counts stay, for the release before.
  await runner.query(`UPDATE rate_limit_usage SET ban_until = 0, ban_ms = 0 WHERE ban_until > 0 AND subject IN
    (SELECT id FROM api_keys WHERE account <> id AND ${IN_STEP})`);
  await runner.query(`INSERT INTO address_lifts (address, lifted_at, changed_at)
    SELECT ${ACCOUNT}, MAX(ban_lifted_at), MAX(ban_lifted_at) FROM api_keys
    WHERE ban_lifted_at IS NOT NULL AND ${IN_STEP} GROUP BY 1
    ON CONFLICT DO NOTHING`);
  await runner.query('UPDATE counted_accounts SET done = last');
  return true;
}
