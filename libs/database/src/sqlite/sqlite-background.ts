import type { DataSource } from 'typeorm';
import type { Transaction } from '@animal-store/kernel';
import { Database } from '../database.js';
import type { InsertRow, InsertSql, SqlValue } from '../sql-session.js';
import type { OnStatement } from '../statements/record-statements.js';
import type { WriteQueue } from './write-queue.js';

/**
 * The embedded database for work that is done again when it is lost: its commits do not wait for the disk. A power cut
 * may take the last of them, but none without those behind it, and nothing that was acknowledged to a request.
 */
export class SqliteBackground extends Database {
  readonly dialect = 'sqlite' as const;
  readonly background = this;
  readonly deferred = this;

  constructor(
    private readonly database: Database,
    protected readonly dataSource: DataSource,
    private readonly queue: WriteQueue,
    onStatement?: OnStatement,
  ) {
    super(onStatement);
  }

  query<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> {
    return this.database.query(sql, parameters);
  }

  queryOnce<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> {
    return this.database.queryOnce(sql, parameters);
  }

  inserter(statement: InsertSql): InsertRow {
    return this.database.inserter(statement);
  }

  check(): Promise<void> {
    return this.database.check();
  }

  assertUsable(): void {
    this.database.assertUsable();
  }

  get queueLength(): number {
    return this.database.queueLength;
  }

  close(): Promise<void> {
    return this.database.close();
  }

  protected begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.queue.add<T>(this.inContextOfCaller(work), null, true);
  }
}
