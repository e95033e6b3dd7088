import { setTimeout as delay } from 'node:timers/promises';
import { AbstractLogger, DataSource, type DataSourceOptions, MigrationExecutor } from 'typeorm';
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

/** The rest before a replica asks again whether it is its turn. */
const TURN_REST_MS = 100;

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
  const dataSource = await new DataSource({ ...options, logger: new NoLogger() }).initialize();
  try {
    const endTurn = await takeTurn(dataSource);
    const executor = migrationExecutor(dataSource);
    const startedAtMs = performance.now();
    for (let restMs = FIRST_REST_MS; ; restMs = Math.min(2 * restMs, LONGEST_REST_MS)) {
      try {
        await executor.executePendingMigrations();
        return await endTurn();
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

/**
 * Replicas that start together take turns, and the second one has nothing left to do. The lock is that of a transaction,
 * which holds its session behind a pooler. Those that wait hold none, as the one whose turn it is needs two.
 */
async function takeTurn(dataSource: DataSource): Promise<() => Promise<void>> {
  const runner = dataSource.createQueryRunner();
  for (; ; await delay(TURN_REST_MS)) {
    await runner.startTransaction();
    await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const sql = 'SELECT pg_try_advisory_xact_lock($1) AS "isMine"';
    const [turn] = (await runner.query(sql, [MIGRATION_LOCK])) as [{ isMine: boolean }];
    if (turn.isMine) return () => runner.commitTransaction();
    await runner.rollbackTransaction();
  }
}

/** It sets the time for locks in each transaction: behind a pooler each may have another session. */
function migrationExecutor(dataSource: DataSource): MigrationExecutor {
  const runner = dataSource.createQueryRunner();
  const start = runner.startTransaction.bind(runner);
  runner.startTransaction = async (isolation) => {
    await start(isolation);
    await runner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  };
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'each';
  return executor;
}
