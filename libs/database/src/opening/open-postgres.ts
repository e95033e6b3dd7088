import pg from 'pg';
import { DataSource } from 'typeorm';
import type { Database } from '../database.js';
import type { Contents, OpeningOptions, PostgresOptions } from './database-options.js';
import { Connections } from '../postgres/connections/connections.js';
import { PostgresDatabase } from '../postgres/postgres-database.js';
import { migratePostgres } from '../postgres/postgres-migrations.js';
import { postgresOptions } from '../postgres/connections/postgres-options.js';
import { Primary } from '../postgres/connections/primary.js';

const PG_INT8 = 20;
/** Of background work and checks together: one writes, the other one always responds. */
const BACKGROUND_CONNECTIONS = 2;

/** How long a write waits for a lock, with its connection. Then it runs again among the few that may wait for longer. */
const WRITES_WAIT_MS = 100;

/** Firewalls forget connections that seem idle. Node then asks ten times, a second apart, whether the server is there. */
const KEEP_ALIVE_AFTER_MS = 5_000;

/** Runs the migrations. */
export async function openPostgres(
  settings: PostgresOptions,
  contents: Contents,
  { onWaiting = () => undefined, onStatement }: OpeningOptions,
): Promise<Database> {
  const { url, otherUrls, queueSize, connectTimeoutMs, statementTimeoutMs } = settings;
  const primary = new Primary([url, ...otherUrls], connectTimeoutMs);
  await primary.find();
  await migratePostgres({ ...contents, ...postgresOptions(settings, primary) }, settings, onWaiting);
  const open = (max: number, entities: Contents['entities'], lockTimeoutMs: number): Promise<DataSource> =>
    new DataSource({
      entities,
      ...postgresOptions(settings, primary, {
        max,
        // Open connections stay open: see Connections.
        min: max,
        limits: { statementTimeoutMs, lockTimeoutMs },
        // The server may disappear silently, so the client gives up shortly after the server would have.
        query_timeout: statementTimeoutMs + 1_000,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
        types: {
          getTypeParser: (oid: number, format?: 'text' | 'binary') =>
            oid === PG_INT8 ? BigInt : (pg.types.getTypeParser(oid, format) as unknown),
        },
      }),
    }).initialize();
  const connections = new Connections();
  const openParts = async (poolSize: number, background?: Database): Promise<Database> => {
    // Half of the connections write, the others read. There is at least one of each.
    const forWrites = Math.max(1, Math.floor(poolSize / 2));
    const reads = await open(Math.max(1, poolSize - forWrites), contents.entities, 0);
    try {
      const writes = await open(forWrites, [], WRITES_WAIT_MS);
      const settled = { queueSize, connectTimeoutMs, onStatement };
      return new PostgresDatabase(reads, { ...settled, writes, primary, connections, background });
    } catch (error) {
      await reads.destroy();
      throw error;
    }
  };
  // Separate connections, so that changes of keys can be read however many requests are waiting. A server that cannot
  // read them looks up every key again.
  const background = await openParts(BACKGROUND_CONNECTIONS);
  try {
    return await openParts(settings.poolSize, background);
  } catch (error) {
    await background.close();
    throw error;
  }
}

export async function serverHasTable(settings: PostgresOptions, table: string): Promise<boolean> {
  const primary = new Primary([settings.url, ...settings.otherUrls], settings.connectTimeoutMs);
  await primary.find();
  const dataSource = await new DataSource(postgresOptions(settings, primary)).initialize();
  try {
    const [found] = await dataSource.query<{ name: string | null }[]>('SELECT to_regclass($1) AS name', [
      table,
    ]);
    return found!.name !== null;
  } finally {
    await dataSource.destroy();
  }
}
