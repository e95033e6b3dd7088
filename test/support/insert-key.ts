import { generateApiKey, hashApiKey } from '@animal-store/api-keys';

/** More requests than any suite sends in a day. */
export const KEY_PER_DAY = 1_000_000_000;

/**
 * Writes a key into the table, which is faster than the command line.
 * @param run executes SQL with placeholders such as $1
 * @param perMinute null for a key of the Business plan
 * @param account without it the key has its own
 */
export async function insertKey(
  run: (sql: string, values: (string | number | null)[]) => unknown,
  perMinute: number | null,
  account?: string,
): Promise<{ id: string; key: string }> {
  const key = generateApiKey('ask_live_');
  const id = `key_${key.slice(-16)}`;
  const sql = `INSERT INTO api_keys (id, hash, name, account, plan, per_minute, per_day, created_at)
    VALUES ($1, $2, 'test', $3, $4, $5, $6, 0)`;
  const limits = perMinute === null ? ['business', null, null] : ['enterprise', perMinute, KEY_PER_DAY];
  await run(sql, [id, hashApiKey(key), account ?? id, ...limits]);
  return { id, key };
}
