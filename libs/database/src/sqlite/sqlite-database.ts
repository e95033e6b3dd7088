import type { DataSource } from 'typeorm';
import type { Transaction } from '@animal-store/kernel';
import { Database } from '../database.js';
import type { InsertRow, InsertSql, SqlValue } from '../sql-session.js';
import type { OnStatement } from '../statements/record-statements.js';
import type { SqliteFile } from './sqlite-file.js';

/**
 * SQLite. Its background database is for work that is repeated when it is lost: commits there do not wait for the disk.
 * A power cut may lose the last of them in order, and nothing that was acknowledged to a request.
 */
export class SqliteDatabase extends Database {
  readonly dialect = 'sqlite' as const;
  readonly background: Database;
  private readonly isBackground: boolean;

  /** @param background without it, this database is its own background database */
  constructor(
    protected readonly dataSource: DataSource,
    private readonly file: SqliteFile,
    onStatement?: OnStatement,
    background?: Database,
  ) {
    super(onStatement);
    this.background = background ?? this;
    this.isBackground = background === undefined;
  }

  async query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return this.file.read<Row>(sql, parameters, false);
  }

  async queryOnce<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return this.file.read<Row>(sql, parameters, true);
  }

  get deferred(): Database {
    return this.background;
  }

  inserter({ single }: InsertSql): InsertRow {
    const { queue, writes } = this.file;
    return (values) => queue.add<bigint>(null, () => writes.insert(single, values), false);
  }

  async check(): Promise<void> {
    this.file.check();
  }

  assertUsable(): void {
    this.file.assertUsable();
  }

  get queueLength(): number {
    return this.file.queue.length;
  }

  override get logBytes(): number | null {
    return this.file.files.logBytes;
  }

  override get freeDiskBytes(): number | null {
    return this.file.files.freeDiskBytes;
  }

  close(): Promise<void> {
    return this.file.close();
  }

  protected begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.file.queue.add<T>(this.inContextOfCaller(work), null, this.isBackground);
  }
}
