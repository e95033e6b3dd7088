import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { SystemClock } from '@animal-store/kernel';
import type { Database } from '../database.js';
import type { Contents, OpeningOptions, PostgresOptions } from './database-options.js';
import { Connections } from '../postgres/connections/connections.js';
import { openPool, postgresOptions, statementPool } from '../postgres/connections/postgres-options.js';
import { guarded } from '../stock-repositories.js';
import { poolOf } from './typeorm-internals.js';
import { Primary } from '../postgres/connections/primary.js';
import { PostgresDatabase } from '../postgres/postgres-database.js';
import { migratePostgres } from '../postgres/postgres-migrations.js';

/** How long a write waits for a lock. Then it runs again, among the few that may wait for longer. */
const WRITES_WAIT_MS = 100;

/** Runs the migrations. */
export async function openPostgres(
  settings: PostgresOptions,
  contents: Contents,
  { onWaiting = () => undefined, onStatement, clock = new SystemClock() }: OpeningOptions,
): Promise<Database> {
  const { url, otherUrls, poolSize, queueSize, connectTimeoutMs, statementTimeoutMs } = settings;
  const primary = new Primary([url, ...otherUrls], connectTimeoutMs);
  await primary.find();
  await migratePostgres({ ...contents, ...postgresOptions(settings, primary) }, settings, onWaiting);
  const reading = (max: number) => statementPool(max, { statementTimeoutMs, lockTimeoutMs: 0 });
  const writing = (max: number) => statementPool(max, { statementTimeoutMs, lockTimeoutMs: WRITES_WAIT_MS });
  // Half of the connections write, the others read. There is at least one of each.
  const forWrites = Math.max(1, Math.floor(poolSize / 2));
  const forReads = postgresOptions(settings, primary, reading(Math.max(1, poolSize - forWrites)));
  const dataSource = await new DataSource({ entities: contents.entities, ...forReads }).initialize();
  const opened = [poolOf(dataSource)];
  try {
    // Background work and checks have connections of their own: a server that cannot read the changes of keys, because
    // requests wait, would look up every key again.
    for (const pool of [writing(forWrites), reading(1), writing(1)])
      opened.push(await openPool(settings, primary, pool));
  } catch (error) {
    await Promise.all(opened.map((pool) => pool.end()));
    throw error;
  }
  const [reads, writes, backgroundReads, backgroundWrites] = opened as [Pool, Pool, Pool, Pool];
  const settled = {
    queueSize,
    connectTimeoutMs,
    primary,
    connections: new Connections(opened, clock),
    clock,
    onStatement,
  };
  const ofBackground = { ...settled, reads: backgroundReads, writes: backgroundWrites };
  const background = new PostgresDatabase(dataSource, ofBackground);
  return guarded(dataSource, new PostgresDatabase(dataSource, { ...settled, reads, writes, background }));
}

export async function serverHasTable(settings: PostgresOptions, table: string): Promise<boolean> {
  const primary = new Primary([settings.url, ...settings.otherUrls], settings.connectTimeoutMs);
  await primary.find();
  const pool = await openPool(settings, primary, { max: 1 });
  try {
    const { rows } = await pool.query<{ name: string | null }>('SELECT to_regclass($1) AS name', [table]);
    return rows[0]!.name !== null;
  } finally {
    await pool.end();
  }
}
