import { setTimeout as delay } from 'node:timers/promises';
import {
  AbstractLogger,
  DataSource,
  type DataSourceOptions,
  MigrationExecutor,
  type QueryRunner,
} from 'typeorm';
import type { PostgresOptions } from '../opening/database-options.js';
import { errorCode } from '../driver-errors.js';
import { WAITING_BUILDS } from '../migrations/create-index.js';

/** Any fixed number works, as long as every replica uses the same one. */
const MIGRATION_LOCK = 7_201_030;
/** No lock, or a build of an index that `watchBuilds` ended. */
const HAS_WAITED = /^(55P03|57014)$/;

/**
 * How long a statement of a migration waits for its lock. All later statements on the table queue after it, so it is
 * far shorter than the time-outs of requests.
 */
const LOCK_TIMEOUT_MS = 200;
/** The delay before the next attempt, in which the waiting statements run. It doubles up to the longest one. */
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 10_000;

/** The delay before a replica requests the lock again. */
const TURN_DELAY_MS = 100;
/** How often it checks whether the build of an index waits. */
const WATCH_EVERY_MS = 500;

/** The errors of migrations are thrown. TypeORM would print them too, as lines that are not JSON. */
class NoLogger extends AbstractLogger {
  protected override writeLog(): void {}
}

/**
 * Runs the migrations that are missing. A migration that needs a table which a long transaction uses yields to
 * requests and is retried, so that the replicas of the previous release continue to serve.
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
    const turn = await lockTurn(dataSource);
    const noteWaiting = once(() => onWaiting('A migration waits for a transaction that uses its table.'));
    const endWatch = watchBuilds(dataSource, migrationTimeoutMs, noteWaiting);
    await migrate(migrationExecutor(dataSource), migrationTimeoutMs, noteWaiting).finally(endWatch);
    await turn.commitTransaction();
  } finally {
    await dataSource.destroy();
  }
}

async function migrate(executor: MigrationExecutor, limitMs: number, noteWaiting: () => void): Promise<void> {
  const startedAtMs = performance.now();
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    try {
      return void (await executor.executePendingMigrations());
    } catch (error) {
      if (!HAS_WAITED.test(errorCode(error))) throw error;
      if (performance.now() - startedAtMs + delayMs > limitMs)
        throw new Error(
          `a migration got no lock on its table within ${limitMs} ms, as another transaction uses it, such as a ` +
            'backup; pg_stat_activity has its name',
          { cause: error },
        );
      noteWaiting();
      await delay(delayMs);
    }
  }
}

/**
 * Cancels the build or removal of an index that has waited for all older transactions for `limitMs`. It blocks nothing,
 * so it may wait for long. The check has a third connection, as a build would wait for the transaction of the turn.
 */
function watchBuilds(dataSource: DataSource, limitMs: number, noteWaiting: () => void): () => Promise<void> {
  const watch = new AbortController();
  let waitedMs = 0;
  const look = async () => {
    const waiting = await dataSource.query<unknown[]>(`SELECT pid FROM ${WAITING_BUILDS}`);
    if (waiting.length === 0) waitedMs = -WATCH_EVERY_MS;
    if (waitedMs >= FIRST_DELAY_MS) noteWaiting();
    if (waitedMs >= limitMs) await dataSource.query(`SELECT pg_cancel_backend(pid) FROM ${WAITING_BUILDS}`);
  };
  const watching = (async () => {
    for (; !watch.signal.aborted; waitedMs += WATCH_EVERY_MS) {
      await delay(WATCH_EVERY_MS, undefined, { signal: watch.signal }).catch(() => undefined);
      // PostgreSQL may refuse the third connection for a while.
      await look().catch(() => undefined);
    }
  })();
  return () => {
    watch.abort();
    return watching;
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/**
 * Replicas that start together take turns, and the second one has nothing left to do. The lock is that of a
 * transaction, which occupies its session behind a pooler. Waiting replicas occupy none, as the active one needs two.
 */
async function lockTurn(dataSource: DataSource): Promise<QueryRunner> {
  const runner = dataSource.createQueryRunner();
  for (; ; await delay(TURN_DELAY_MS)) {
    await runner.startTransaction();
    await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // Without parameters: the portal of a statement with some would have its snapshot for as long as the transaction.
    const sql = `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS "isMine"`;
    const [turn] = (await runner.query(sql)) as [{ isMine: boolean }];
    if (turn.isMine) return runner;
    await runner.rollbackTransaction();
  }
}

/** Sets the time-out for locks in each transaction, because behind a pooler each may have another session. */
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
