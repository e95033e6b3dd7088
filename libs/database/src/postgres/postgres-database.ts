import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { Batcher, StorageUnavailable, type Transaction } from '@animal-store/kernel';
import { Database } from '../database.js';
import type { ConnectionCounts } from './connections/connections.js';
import { GroupedReads, type ToResult } from './shared-statements/grouped-reads.js';
import { SharedInserts } from './shared-statements/shared-inserts.js';
import { SharedTransactions } from './shared-statements/shared-transactions.js';
import type { Work } from './shared-statements/shared-unit.js';
import { LockTimedOut } from './postgres-errors.js';
import { type HealthParts, PostgresHealth } from './postgres-health.js';
import { FailedLate, type InsertedRow, PostgresTransaction } from './postgres-transaction.js';
import type { NamedText } from './round-trip.js';
import type { InsertRow, InsertSql, SqlValue } from '../sql-session.js';
import type { CompiledStatement } from '../statements/compiled-statement.js';
import type { OnStatement } from '../statements/record-statements.js';

export interface PostgresParts extends HealthParts {
  /** Two pools, so that slow writes leave connections to reads, and the other way round. */
  readonly reads: Pool;
  readonly writes: Pool;
  /** How many reads, and how many writes, may wait. */
  readonly queueSize: number;
  readonly onStatement?: OnStatement;
}

/** How many units of work may wait for rows at once, with a connection each. */
const MAX_WAITERS = 2;
/** The share of the connection time-out for which a unit may wait for a row: others then get its connection in time. */
const LOCK_SHARE = 0.75;

export class PostgresDatabase extends Database {
  readonly dialect = 'postgres' as const;
  readonly background: Database;
  readonly deferred: Pick<Database, 'run'> = {
    run: (work, within = this.enclosing()) => (within ? work(within) : this.begin(work, true)),
  };
  private readonly inserts: SharedInserts[] = [];
  private readonly shared: SharedTransactions;
  /** The units of work whose row another transaction has locked. */
  private readonly waiting: Batcher<Work, unknown>;
  private readonly reads: GroupedReads;
  private readonly health: PostgresHealth;

  /**
   * @param dataSource has the records. It is closed with the database that has a background.
   * @param parts without `background`, this database is its own background database.
   */
  constructor(
    protected readonly dataSource: DataSource,
    private readonly parts: PostgresParts,
  ) {
    super(parts.onStatement);
    const { background, connectTimeoutMs, connections } = parts;
    this.background = background ?? this;
    this.health = new PostgresHealth(parts.reads, parts);
    this.reads = new GroupedReads({
      connections,
      pool: parts.reads,
      rethrow: this.health.rethrowNoticed,
      limitMs: connectTimeoutMs,
    });
    const most = parts.writes.options.max;
    const [limitMs, waiters] = [connectTimeoutMs, Math.min(MAX_WAITERS, Math.max(1, most - 1))];
    this.shared = new SharedTransactions({
      alone: (work) => this.runSeparately(work),
      waiting: (work) => this.waiting.add(work) as never,
      attempt: (work) => this.attempt((transaction) => work(transaction as PostgresTransaction), false),
      reportListener: this.reportListener,
      atOnce: Math.max(1, most - 1),
      limitMs,
    });
    const lockTimeoutMs = Math.ceil(connectTimeoutMs * LOCK_SHARE);
    this.waiting = new Batcher(async ([work]) => [await this.attempts(work!, lockTimeoutMs)], {
      max: 1,
      atOnce: waiters,
      limitMs,
    });
  }

  override openConnections(): Promise<void> {
    return this.parts.connections.open();
  }

  override get clockAheadMs(): number {
    return this.health.clockAheadMs;
  }

  override get connections(): ConnectionCounts {
    return this.parts.connections.counts;
  }

  query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return this.rowsOf(parameters, () => this.parts.connections.names.of(sql));
  }

  queryOnce<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return this.rowsOf(parameters, () => ({ sql, name: '', text: sql }));
  }

  private async rowsOf<Row>(parameters: readonly SqlValue[], named: () => NamedText): Promise<Row[]> {
    this.requireRead();
    return this.parts.connections
      .query(this.parts.reads, named(), parameters)
      .then(({ rows }) => rows as Row[], this.health.rethrowNoticed);
  }

  /** Shares statements with other reads (GroupedReads). */
  override read<Row, Result>(
    statement: CompiledStatement,
    values: readonly SqlValue[],
    toResult: (rows: readonly Row[], isShared: boolean) => Result,
  ): Promise<Result> {
    // Background work reads rarely, and from its own connections.
    const queue = this.background === this ? null : this.reads.queueFor(statement, values);
    if (queue === null) return super.read(statement, values, toResult);
    this.health.requireUsable();
    return queue.read(values, toResult as ToResult<Result>, this.requireRead);
  }

  get queueLength(): number {
    return this.waitingReads + this.waitingWrites;
  }

  private get waitingReads(): number {
    return this.parts.reads.waitingCount + this.reads.waitingCount;
  }

  private get waitingWrites(): number {
    let count = this.parts.writes.waitingCount + this.shared.waitingCount + this.waiting.waitingCount;
    for (const { waitingCount } of this.inserts) count += waitingCount;
    return count;
  }

  check(): Promise<void> {
    return this.health.check();
  }

  /** Nothing is to be checked: no rows are cached that other servers may change, and each statement fails by itself. */
  assertUsable(): void {}

  override inserter(statement: InsertSql): InsertRow {
    const { connectTimeoutMs: limitMs, connections } = this.parts;
    const rows = new SharedInserts(statement, {
      connections,
      pool: this.parts.writes,
      limitMs,
      requireCapacity: () => this.requireWrite(),
      waiting: (sql, values) =>
        this.waiting.add((transaction) => this.session(transaction).query(sql, values)) as Promise<
          InsertedRow[]
        >,
      rethrow: this.health.rethrowNoticed,
    });
    this.inserts.push(rows);
    return rows.insert;
  }

  /**
   * Shares a transaction with other units of work where that makes no difference to them (SharedTransactions). Work of
   * the background has statements of its own, so it would leave the others after its first ones, and begin again.
   */
  protected async begin<T>(
    work: (transaction: Transaction) => Promise<T>,
    isAlone: boolean = this.background === this,
  ): Promise<T> {
    this.requireWrite();
    const running = isAlone ? this.runSeparately(work) : this.shared.run(this.inContextOfCaller(work));
    return running.catch(this.health.rethrowNoticed);
  }

  /** A unit that waits for a row occupies a connection, so only few wait at once. */
  private async runSeparately<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.attempts(work);
    } catch (error) {
      if (!(error instanceof LockTimedOut)) throw error;
      return this.waiting.add(work) as Promise<T>;
    }
  }

  private attempts<T>(work: (transaction: Transaction) => Promise<T>, lockTimeoutMs?: number): Promise<T> {
    const attempt = (isEager: boolean) => this.attempt(work, isEager, lockTimeoutMs);
    return attempt(false).catch((error: unknown) => {
      if (error instanceof FailedLate) return attempt(true);
      throw error;
    });
  }

  async close(): Promise<void> {
    this.health.stop();
    const { reads, writes } = this.parts;
    if (this.background === this) return void (await Promise.all([reads.end(), writes.end()]));
    await this.background.close();
    await Promise.all([this.dataSource.destroy(), writes.end()]);
  }

  private readonly requireRead = (): void => {
    this.health.requireUsable();
    this.requireCapacity(this.waitingReads);
  };

  private requireWrite(): void {
    this.health.requireUsable();
    this.requireCapacity(this.waitingWrites);
  }

  /** Refuses what would wait too long anyway, at no cost to those already waiting. */
  private requireCapacity(waitingCount: number): void {
    const { queueSize, connectTimeoutMs } = this.parts;
    if (waitingCount < queueSize) return;
    this.health.suspect();
    // After this time everything that waits now has been run or has timed out.
    const retryAfterSeconds = Math.ceil(connectTimeoutMs / 1_000);
    throw new StorageUnavailable(`${queueSize} requests wait for PostgreSQL.`, { retryAfterSeconds });
  }

  private attempt<T>(
    work: (transaction: Transaction) => Promise<T>,
    isEager: boolean,
    lockTimeoutMs?: number,
  ): Promise<T> {
    const { dataSource } = this;
    const { connections, writes } = this.parts;
    let transaction: PostgresTransaction;
    return connections.run(
      writes,
      async (client) => {
        transaction = new PostgresTransaction(client, connections.names, dataSource, isEager, lockTimeoutMs);
        try {
          const result = await work(transaction);
          await transaction.commit();
          transaction.committed(this.reportListener);
          return result;
        } catch (error) {
          throw transaction.lateError ?? error;
        } finally {
          transaction.end();
        }
      },
      () => transaction.rollBack(),
    );
  }
}
