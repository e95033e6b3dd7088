import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import type { Database as Connection } from 'better-sqlite3';
import { inRootContext, StorageUnavailable, type Transaction } from '@animal-store/kernel';
import { errorCode } from '../driver-errors.js';
import type { PreparedStatements } from './prepared-statements.js';
import { type ManagerFor, SqliteTransaction } from './sqlite-transaction.js';

/** Result codes that mean that another process is writing. */
const LOCKED = /^SQLITE_(BUSY|LOCKED)/;
/** More writes than this are refused. Only a blocked queue grows so long. */
const MAX_WAITING = 10_000;
/** After so many batches of requests a unit of background work runs, although more of them wait. */
const MAX_BATCHES_FIRST = 10;
/** A batch begins no further unit after this time: the rest run in the next one, after the turns between the two. */
const MAX_BATCH_MS = 5;
/** How many batches run in savepoints after a unit of work has failed after its first write. */
const BATCHES_IN_SAVEPOINTS = 16;
/** How often a write is retried while another process writes. */
const LOCK_RETRY_MS = 5;
/** A transaction that is idle for so long is rolled back, as on PostgreSQL. */
const MAX_IDLE_MS = 3_000;
const IDLE = `A unit of work left its transaction idle for ${MAX_IDLE_MS / 1_000} s. It must await only the database.`;
const LACKS_TRANSACTION =
  'A write inside a unit of work must be given its transaction: it would wait for itself.';

type Work = (transaction: Transaction) => Promise<unknown>;

export interface WriteQueueParts {
  /** The only connection that writes. */
  readonly connection: Connection;
  readonly statements: PreparedStatements;
  readonly managerFor: ManagerFor;
  /** How long a write waits while another process writes. */
  readonly lockTimeoutMs: number;
  readonly logger: Logger;
  /** Gets the errors of commit listeners. */
  readonly reportListener: (error: unknown) => void;
  /** Throws for a write while the database cannot be used. */
  readonly assertUsable: () => void;
  /** Why nothing may be written any more; null while it may. */
  readonly damage: () => StorageUnavailable | null;
  /** Checks the files before a transaction, and after its commit: why they cannot be used, or null. */
  readonly check: (isCommitted: boolean) => StorageUnavailable | null;
}

/** A unit of work in the queue, or one statement. */
class QueuedWrite {
  private transaction: SqliteTransaction | null = null;
  private hasFailed = false;
  private result: unknown;
  private error: unknown;

  constructor(
    readonly work: Work | null,
    /** Runs at once, when it is all that there is to do. SQLite itself undoes a statement that fails. */
    readonly statement: (() => unknown) | null,
    private readonly resolve: (result: unknown) => void,
    readonly reject: (error: unknown) => void,
    /** By the clock of `performance`. */
    readonly arrivedAtMs: number,
    /** Whether it has a lower priority than requests; its commit then does not wait for the disk. */
    readonly isBackground: boolean,
  ) {}

  get statementCount(): number {
    return this.transaction!.statementCount;
  }

  begin(transaction: SqliteTransaction): SqliteTransaction {
    return (this.transaction = transaction);
  }

  succeed(result: unknown): void {
    this.transaction?.end();
    this.hasFailed = false;
    this.result = result;
  }

  fail(error: unknown): void {
    this.transaction?.end();
    this.error = error;
    this.hasFailed = true;
  }

  /**
   * Settles the caller's promise. Call it when the batch is committed.
   * @param failure why the commit does not count although SQLite made it; null when it counts
   * @param report gets the errors of commit listeners
   */
  settle(failure: StorageUnavailable | null, report: (error: unknown) => void): void {
    if (this.hasFailed) return this.reject(this.error);
    this.transaction?.committed(report);
    if (failure) this.reject(failure);
    else this.resolve(this.result);
  }
}

/**
 * The queue of all writes. Those that arrive in one turn of the event loop share one transaction and one fsync; when
 * there are several, those of the next turn join them. One that fails does not fail the others: when it has written
 * something, all are rolled back and run again, each in a savepoint. No caller gets a result before the commit. Writes
 * stay in the queue while another process writes.
 *
 * Between two batches the event loop turns, however the callers write: what arrived meanwhile is read in the first turn
 * and served before the second ends. Background work has one unit a batch, when no request waits.
 */
export class WriteQueue {
  // Two arrays that are swapped. V8 would treat a new array for each batch as long-lived and move it to the old
  // generation, together with everything that it references.
  private waiting: QueuedWrite[] = [];
  private batch: QueuedWrite[] = [];
  private readonly background: QueuedWrite[] = [];
  private batchesFirst = 0;
  private draining: Promise<void> | null = null;
  private isLockedOut = false;
  private batchesInSavepoints = 0;
  private running: QueuedWrite | null = null;
  /** Differs for work that continues after its batch was ended. */
  private batchNumber = 0;
  /** Whether nothing else has run since the batch began, so that only its units can add a write. */
  private runsAlone = false;
  private endBatch: (isStored: boolean) => void = () => undefined;
  /** Whether commits wait for the disk, as the connection was opened. */
  private isDurable = true;

  constructor(private readonly parts: WriteQueueParts) {}

  get length(): number {
    return this.waiting.length + this.background.length;
  }

  add<T>(work: Work | null, statement: (() => unknown) | null, isBackground: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.parts.assertUsable();
      if (this.running && this.runsAlone) throw new TypeError(LACKS_TRANSACTION);
      const queue = this.queueOf(isBackground);
      if (queue.length === MAX_WAITING) {
        throw new StorageUnavailable(new Error(`More than ${MAX_WAITING} writes are waiting.`));
      }
      const succeed = resolve as (result: unknown) => void;
      queue.push(new QueuedWrite(work, statement, succeed, reject, performance.now(), isBackground));
      this.draining ??= inRootContext(() => this.drain());
    });
  }

  /** Resolves when nothing waits. */
  async drained(): Promise<void> {
    await this.draining;
  }

  private queueOf(isBackground: boolean): QueuedWrite[] {
    return isBackground ? this.background : this.waiting;
  }

  private async drain(): Promise<void> {
    // Waits one turn of the event loop, so that everything that arrived with the first write joins its transaction.
    let turn: Promise<unknown> = new Promise(setImmediate);
    for (let isFirst = true; ; isFirst = false) {
      await turn;
      if (this.length === 0) break;
      // When it did not come alone, more is probably on its way, and a commit costs more than another turn.
      if (!isFirst || this.waiting.length !== 1) await new Promise(setImmediate);
      const batch = this.nextBatch();
      turn = this.turnOf(batch);
      if (!(await this.end(batch))) await delay(LOCK_RETRY_MS);
      batch.length = 0;
    }
    this.draining = null;
  }

  /** Resolves in the turn of the event loop that follows the beginning of the batch. */
  private turnOf(batch: QueuedWrite[]): Promise<void> {
    this.runsAlone = true;
    // Units that await only statements have ended by then.
    process.nextTick(() => (this.runsAlone = false));
    return new Promise((resolve) => {
      setImmediate(() => {
        // Statements take no turn, so it awaits something else than the database.
        if (this.running) this.watch(batch, this.running);
        resolve();
      });
    });
  }

  /** Ends the batch when the unit that runs has made no statement for too long. */
  private watch(batch: QueuedWrite[], unit: QueuedWrite): void {
    const { batchNumber } = this;
    const { statementCount } = unit;
    setTimeout(() => {
      const { running } = this;
      if (batchNumber !== this.batchNumber || !running) return;
      if (running !== unit || unit.statementCount > statementCount) return this.watch(batch, running);
      this.batchNumber++;
      this.running = null;
      this.abandon();
      unit.fail(new Error(IDLE));
      unit.settle(null, this.parts.reportListener);
      this.queueOf(unit.isBackground).unshift(...batch.filter((write) => write !== unit));
      this.endBatch(true);
    }, MAX_IDLE_MS).unref();
  }

  private nextBatch(): QueuedWrite[] {
    const { waiting, batch, background } = this;
    const isTurnOfBackground = waiting.length === 0 || this.batchesFirst === MAX_BATCHES_FIRST;
    if (background.length > 0 && isTurnOfBackground) {
      this.batchesFirst = 0;
      return [background.shift()!];
    }
    if (background.length > 0) this.batchesFirst++;
    this.waiting = batch;
    this.batch = waiting;
    return waiting;
  }

  /** Resolves as `commit`, or when the batch was ended before. */
  private end(batch: QueuedWrite[]): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.endBatch = resolve;
      this.commit(batch, ++this.batchNumber).then(resolve, reject);
    });
  }

  /** @returns false when another process is writing. The writes then wait again, but those that timed out. */
  private async commit(batch: QueuedWrite[], batchNumber: number): Promise<boolean> {
    const { statements, damage, check, reportListener } = this.parts;
    try {
      const problem = check(false);
      if (problem) throw problem;
      this.waitForDisk(!batch[0]!.isBackground);
      do {
        if (!this.begin()) {
          this.requeue(batch);
          return false;
        }
      } while (!(await this.runEach(batch)));
      if (batchNumber !== this.batchNumber) return true;
      const failure = damage();
      if (failure) throw failure;
      statements.command('COMMIT');
    } catch (error) {
      this.abandon();
      for (const write of batch) write.reject(error);
      return true;
    }
    // After the commit, as the files may have been deleted or cut before it, unnoticed.
    const failure = check(true);
    for (const write of batch) write.settle(failure, reportListener);
    return true;
  }

  /**
   * Runs the writes in the open transaction, and takes those out of the batch that have no time left in it. A savepoint
   * costs as much as the statements of a unit of work, so they have none until one is needed.
   * @returns false when the transaction was rolled back and has to be run again, as a unit of work failed after it had
   * written; true also when the batch was ended meanwhile
   * @throws when nothing of the transaction can be stored
   */
  private async runEach(batch: QueuedWrite[]): Promise<boolean> {
    const { statements, connection, managerFor } = this.parts;
    const { batchNumber } = this;
    const hasSavepoints = batch.length === 1 || this.batchesInSavepoints > 0;
    if (this.batchesInSavepoints > 0) this.batchesInSavepoints--;
    const endsMs = performance.now() + MAX_BATCH_MS;
    for (let index = 0; index < batch.length; index++) {
      const write = batch[index]!;
      if (index > 0 && performance.now() > endsMs) {
        this.waiting.unshift(...batch.splice(index));
        break;
      }
      const { work, statement } = write;
      const { writeCount } = statements;
      if (work && hasSavepoints) statements.command('SAVEPOINT write');
      // Inline, as a function would add a promise for every write.
      try {
        if (work) {
          this.running = write;
          const result = await work(write.begin(new SqliteTransaction(statements, connection, managerFor)));
          if (batchNumber !== this.batchNumber) return true;
          this.running = null;
          write.succeed(result);
        } else write.succeed(statement!());
      } catch (error) {
        if (batchNumber !== this.batchNumber) return true;
        this.running = null;
        write.fail(error);
        // On some errors, such as a full disk, SQLite itself rolls back the whole transaction.
        if (!connection.inTransaction) throw error;
        if (work && statements.writeCount > writeCount) {
          if (batch.length > 1) this.batchesInSavepoints = BATCHES_IN_SAVEPOINTS;
          statements.command(hasSavepoints ? 'ROLLBACK TO write' : 'ROLLBACK');
          if (!hasSavepoints) return false;
        }
      }
      if (work && hasSavepoints) statements.command('RELEASE write');
    }
    return true;
  }

  /** What one commit does not wait for is on the disk with the next one that does. */
  private waitForDisk(isDurable: boolean): void {
    if (isDurable === this.isDurable) return;
    this.parts.connection.pragma(`synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    this.isDurable = isDurable;
  }

  /** @returns false when another process is writing. */
  private begin(): boolean {
    const { statements, logger } = this.parts;
    try {
      statements.command('BEGIN IMMEDIATE');
    } catch (error) {
      if (LOCKED.test(errorCode((error as Error).cause))) return false;
      throw error;
    }
    if (this.isLockedOut) logger.log('Writes succeed again.');
    this.isLockedOut = false;
    return true;
  }

  /** Puts the writes back at the front of the queue. Those that have waited too long are rejected. */
  private requeue(batch: readonly QueuedWrite[]): void {
    const { lockTimeoutMs, logger } = this.parts;
    const oldestMs = performance.now() - lockTimeoutMs;
    const waiting = batch.filter(({ arrivedAtMs }) => arrivedAtMs > oldestMs);
    this.queueOf(batch[0]!.isBackground).unshift(...waiting);
    if (waiting.length === batch.length) return;
    const message = `Another process has been writing to the database for more than ${lockTimeoutMs} ms`;
    if (!this.isLockedOut) logger.warn(`${message}: writes fail until it is done.`);
    this.isLockedOut = true;
    const error = new StorageUnavailable(new Error(`${message}.`));
    for (const write of batch) if (write.arrivedAtMs <= oldestMs) write.reject(error);
  }

  /** Never throws, as the queue must continue. A failed rollback shows at the next BEGIN. */
  private abandon(): void {
    const { connection, statements, logger } = this.parts;
    try {
      if (connection.inTransaction) statements.command('ROLLBACK');
    } catch (error) {
      logger.error('A failed transaction could not be rolled back.', error);
    }
  }
}
