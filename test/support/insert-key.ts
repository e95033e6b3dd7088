import type pg from 'pg';
import { generateApiKey, hashApiKey } from '@animal-store/api-keys';

/** Writes a key of the Enterprise plan into the table, which is faster than the command line. */
export async function insertKey(client: pg.Client, perMinute: number): Promise<{ id: string; key: string }> {
  const key = generateApiKey('ask_live_');
  const id = `key_${key.slice(-16)}`;
  const sql = `INSERT INTO api_keys (id, hash, name, account, plan, per_minute, per_day, created_at)
    VALUES ($1, $2, 'test', $1, 'enterprise', $3, 1000000000, 0)`;
  await client.query(sql, [id, hashApiKey(key), perMinute]);
  return { id, key };
}
