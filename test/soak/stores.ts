import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { RedisServer } from '@animal-store/rate-limiting/testing';
import { PostgresServer } from '@animal-store/database/testing';
import type { DatabaseKind } from './options.js';

/** The database of the service, and a folder to run in. */
export interface Store {
  readonly folder: string;
  readonly settings: NodeJS.ProcessEnv;
  /** The number of reads of the table of keys so far, or null when the database does not count them. */
  keyLookUps(): Promise<number | null>;
  remove(): Promise<void>;
}

export async function openStore(kind: DatabaseKind): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-soak-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (kind === 'sqlite') {
    return {
      folder,
      settings: { DATABASE_URL: `sqlite:${join(folder, 'store.db')}` },
      keyLookUps: async () => null,
      remove: async () => removeFolder(),
    };
  }
  const postgres = await PostgresServer.create();
  try {
    await postgres.start();
    const redis = await RedisServer.start();
    return {
      folder,
      // The time-out is long, because each request counts exactly once only while Redis counts it.
      settings: { DATABASE_URL: postgres.url, REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '2000' },
      keyLookUps: () => keyLookUps(postgres.url),
      remove: async () => {
        removeFolder();
        await redis.stop();
        await postgres.stop();
      },
    };
  } catch (error) {
    removeFolder();
    await postgres.stop();
    throw error;
  }
}

async function keyLookUps(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ reads: string }>(
      "SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) AS reads FROM pg_stat_user_tables WHERE relname = 'api_keys'",
    );
    return Number(rows[0]!.reads);
  } finally {
    await client.end();
  }
}
