import { generateApiKey, hashApiKey } from '@animal-store/api-keys';

/** More requests than any suite sends in a day. */
export const KEY_PER_DAY = 1_000_000_000;

/**
 * Writes a key into the table, which is faster than the command line.
 * @param run executes SQL, which has its values in it: each database has placeholders of its own
 * @param perMinute null for a key of the Business plan
 * @param account without it the key has its own
 */
export async function insertKey(
  run: (sql: string) => unknown,
  perMinute: number | null,
  account?: string,
): Promise<{ id: string; key: string }> {
  const key = generateApiKey('ask_live_');
  const id = `key_${key.slice(-16)}`;
  const limits = perMinute === null ? `'business', NULL, NULL` : `'enterprise', ${perMinute}, ${KEY_PER_DAY}`;
  await run(`INSERT INTO api_keys (id, hash, name, account, plan, per_minute, per_day, created_at)
    VALUES ('${id}', '${hashApiKey(key)}', 'test', '${account ?? id}', ${limits}, 0)`);
  return { id, key };
}
