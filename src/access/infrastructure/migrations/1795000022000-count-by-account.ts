import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the keys of an account have used today, and how long they are banned, becomes that of the account, as do lifts. */
export class CountByAccount1795000022000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX api_keys_account ON api_keys (account, id)');
    const account = "CASE WHEN substr(account, 1, 4) = 'key_' THEN account ELSE 'account ' || account END";
    await runner.query(`INSERT INTO rate_limit_usage (subject, day, day_count, ban_until, ban_ms, ban_refusals)
      SELECT who, MAX(day), SUM(CASE WHEN day = last_day THEN day_count ELSE 0 END), MAX(ban_until),
        MAX(CASE WHEN place = 1 THEN ban_ms END), MAX(CASE WHEN place = 1 THEN ban_refusals END)
      FROM (
        SELECT who, used.*, MAX(day) OVER (PARTITION BY who) AS last_day,
          ROW_NUMBER() OVER (PARTITION BY who ORDER BY ban_until DESC) AS place
        FROM rate_limit_usage AS used
        JOIN (SELECT id, ${account} AS who FROM api_keys) AS keys ON keys.id = used.subject
      ) AS counted
      GROUP BY who HAVING COUNT(CASE WHEN subject <> who THEN 1 END) > 0
      ON CONFLICT (subject) DO UPDATE SET day = excluded.day, day_count = excluded.day_count,
        ban_until = excluded.ban_until, ban_ms = excluded.ban_ms, ban_refusals = excluded.ban_refusals`);
    // Nobody is counted by these any more. The counts stay, for the release before.
    await runner.query(`UPDATE rate_limit_usage SET ban_until = 0, ban_ms = 0 WHERE ban_until > 0 AND subject IN
      (SELECT id FROM api_keys WHERE account <> id)`);
    await runner.query(`INSERT INTO address_lifts (address, lifted_at, changed_at)
      SELECT ${account}, MAX(ban_lifted_at), MAX(ban_lifted_at) FROM api_keys WHERE ban_lifted_at IS NOT NULL GROUP BY 1
      ON CONFLICT DO NOTHING`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_account');
  }
}
