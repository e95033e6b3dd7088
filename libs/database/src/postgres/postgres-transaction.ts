import type { PoolClient } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { StorageUnavailable } from '@animal-store/kernel';
import { entityManagerWithin } from '../entity-manager.js';
import { newRunner } from '../opening/typeorm-internals.js';
import { settingsFor } from './connections/pooler.js';
import { isFinal, PreparedStateLost, translated } from './postgres-errors.js';
import { RoundTrip, SentStatement, type StatementNames } from './round-trip.js';
import { type InsertSql, SqlTransaction, type SqlValue, type WriteSql } from '../sql-session.js';

export interface InsertedRow {
  readonly id: bigint;
}

/** Together they may take the time of one statement. */
const MAX_WAITING = 20;

const ENDED = 'This transaction has ended; the statement would run in another one.';

/** A write has failed after its caller continued. The unit of work is run again, and awaits each write. */
export class FailedLate extends Error {
  constructor(cause: unknown) {
    super('A write of the transaction failed after its caller continued.', { cause });
  }
}

/**
 * BEGIN is sent with the first statement, a write with the statement after it, and COMMIT with the writes before it.
 * Statements that do not wait for one another are sent together, too.
 */
export class PostgresTransaction extends SqlTransaction {
  /** Why a write whose caller continued has failed; null when none has. */
  lateError: unknown = null;
  /** Why there is no transaction. What would run in it must not run at all. */
  private beginError: unknown = null;
  private hasStarted = false;
  private hasEnded = false;
  private readonly beginning: readonly SentStatement[];
  private readonly waiting: SentStatement[];
  /** The round trip of the waiting statements; null when none wait. */
  private next: Promise<void> | null = null;
  private last = Promise.resolve();

  /**
   * @param isEager whether each write is awaited
   * @param lockTimeoutMs how long a statement may wait for a lock, instead of the time of the pool
   */
  constructor(
    private readonly client: PoolClient,
    private readonly names: StatementNames,
    private readonly dataSource: DataSource,
    private readonly isEager: boolean,
    lockTimeoutMs?: number,
  ) {
    super();
    const settings = settingsFor(client, names, lockTimeoutMs);
    const begin = this.command('BEGIN');
    this.beginning = settings === null ? [begin] : [begin, settings];
    this.waiting = [...this.beginning];
  }

  async query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    const { rows } = await this.run(new SentStatement(this.names.of(sql), parameters));
    return rows as Row[];
  }

  /** Runs a statement whose rows stay Texts. */
  readTexts(sql: string, values: readonly unknown[]): Promise<SentStatement> {
    return this.run(new SentStatement(this.names.of(sql), values, true, 'texts'));
  }

  override async execute({ single: sql }: WriteSql, values: readonly SqlValue[]): Promise<void> {
    const statement = new SentStatement(this.names.of(sql), values, false);
    if (this.isEager || this.waiting.length >= MAX_WAITING) await this.run(statement);
    else this.add(statement);
  }

  async insert({ single }: InsertSql, values: readonly SqlValue[]): Promise<bigint> {
    const [row] = await this.query<InsertedRow>(single, values);
    return row!.id;
  }

  entityManager(): EntityManager {
    const connect = async () => {
      await this.sendWaiting();
      if (this.beginError ?? this.lateError) throw (this.beginError ?? this.lateError) as Error;
      this.requireOpen();
      return this.client;
    };
    const open = { connect, requireOpen: () => this.requireOpen(), translated };
    return entityManagerWithin(open, this.dataSource, newRunner(this.dataSource));
  }

  async commit(): Promise<void> {
    const committing = this.run(this.command('COMMIT'));
    this.hasEnded = true;
    const { command } = await committing;
    // PostgreSQL turns a COMMIT into a ROLLBACK when a statement has failed and `work` ignored the error.
    if (command !== 'COMMIT')
      throw new Error('A statement of the transaction failed, so the transaction was rolled back.');
  }

  /** @returns whether the connection can be used again. */
  rollBack(): Promise<boolean> {
    if (!this.hasStarted) return Promise.resolve(true);
    return this.client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
  }

  end(): void {
    this.hasEnded = true;
    for (const statement of this.waiting.splice(0)) statement.error = new Error(ENDED);
  }

  private requireOpen(): void {
    // The connection may already be running another transaction.
    if (this.hasEnded) throw new Error(ENDED);
  }

  private add(statement: SentStatement): void {
    this.requireOpen();
    this.waiting.push(statement);
  }

  private async run(statement: SentStatement): Promise<SentStatement> {
    this.add(statement);
    await this.sendWaiting();
    if (statement.error !== null) throw statement.error as Error;
    return statement;
  }

  /** Resolves when what waits has run or failed. Statements of one turn share a round trip. */
  private sendWaiting(): Promise<void> {
    if (this.next === null) this.last = this.next = this.last.then(() => this.send());
    return this.next;
  }

  private async send(): Promise<void> {
    this.next = null;
    const trip = new RoundTrip(this.waiting.splice(0));
    if (trip.statements.length === 0) return;
    this.hasStarted = true;
    if (this.beginError !== null) this.fail(trip, this.beginError);
    else await trip.send(this.client).catch((error: unknown) => this.fail(trip, translated(error)));
  }

  private fail({ statements, doneCount }: RoundTrip, error: unknown): void {
    // All have run when a row could not be read, or the connection broke after the last response.
    const next = statements[doneCount];
    const failed = statements.find((one) => one.error !== null) ?? next ?? statements.at(-1)!;
    failed.error = error;
    // Thrown even when the work ignores it, because the unit of work can be run again.
    if (error instanceof PreparedStateLost) this.lateError ??= error;
    if (this.beginning.includes(failed)) this.beginError = error;
    else if (!failed.isRead && !this.isEager && this.beginError === null)
      this.lateError ??= next === undefined || isFinal(error) ? error : new FailedLate(error);
    const notRun = new Error('The statement was not run, as one before it has failed.', { cause: error });
    const reason =
      this.beginError ?? this.lateError ?? (error instanceof StorageUnavailable ? error : notRun);
    for (const other of statements.slice(doneCount)) if (other !== failed) other.error = reason;
  }

  private command(text: string): SentStatement {
    return new SentStatement(this.names.of(text), [], false);
  }
}
