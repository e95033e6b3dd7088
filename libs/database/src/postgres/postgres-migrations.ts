import { setTimeout as delay } from 'node:timers/promises';
import { AbstractLogger, DataSource, type DataSourceOptions } from 'typeorm';
import type { PostgresOptions } from '../opening/database-options.js';
import { errorCode } from '../driver-errors.js';

/** Any fixed number works, as long as every replica uses the same one. */
const MIGRATION_LOCK = 7_201_030;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * How long a statement of a migration waits for its lock. All later statements on the table wait behind it, so it is far
 * shorter than the time-outs of requests.
 */
const LOCK_TIMEOUT_MS = 200;
/** The rest before the next attempt, in which the waiting statements run. It doubles up to the longest one. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 10_000;

/** Another transaction, such as a backup, holds a lock that a migration needs. */
class MigrationWaits extends Error {
  constructor(limitMs: number, cause: unknown) {
    super(
      `a migration got no lock on its table within ${limitMs} ms, as another transaction uses it, such as a backup; ` +
        'pg_stat_activity has its name',
      { cause },
    );
    this.name = 'MigrationWaits';
  }
}

/** The errors of migrations are thrown. TypeORM would print them too, as lines that are not JSON. */
class NoLogger extends AbstractLogger {
  protected override writeLog(): void {}
}

/**
 * Runs the migrations that are missing. A migration that needs a table which a long transaction uses gives way to
 * requests and is tried again, so that the replicas of the previous release continue to serve.
 *
 * Uses separate connections without time-outs, as another replica's migrations, or a long one of its own, may take a
 * while.
 * @param onWaiting called once with a sentence when a migration has to wait
 */
export async function migratePostgres(
  options: DataSourceOptions & { type: 'postgres' },
  { migrationTimeoutMs }: PostgresOptions,
  onWaiting: (sentence: string) => void,
): Promise<void> {
  const extra = { ...(options.extra as object), lock_timeout: LOCK_TIMEOUT_MS };
  const dataSource = await new DataSource({ ...options, extra, logger: new NoLogger() }).initialize();
  try {
    // Replicas that start together take turns, and the second one has nothing left to do. The lock ends with its
    // connection.
    const turn = dataSource.createQueryRunner();
    await turn.query('SET lock_timeout = 0');
    await turn.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const startedAtMs = performance.now();
    for (let restMs = FIRST_REST_MS; ; restMs = Math.min(2 * restMs, LONGEST_REST_MS)) {
      try {
        await dataSource.runMigrations();
        return;
      } catch (error) {
        if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
        if (performance.now() - startedAtMs + restMs > migrationTimeoutMs)
          throw new MigrationWaits(migrationTimeoutMs, error);
        if (restMs === FIRST_REST_MS) onWaiting('A migration waits for a transaction that uses its table.');
        await delay(restMs);
      }
    }
  } finally {
    await dataSource.destroy();
  }
}
