import Sqlite from 'better-sqlite3';
import type { Database, Row, Unit } from './database.js';

interface Waiting {
  readonly unit: () => Unit<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  result?: unknown;
}

/** All writes of a turn are one transaction, which begins and ends within a turn: one connection is enough. */
export class SqliteDatabase implements Database {
  readonly isShared = false;
  private readonly connection: Sqlite.Database;
  private readonly statements = new Map<string, Sqlite.Statement>();
  private waiting: Waiting[] = [];

  constructor(file: string) {
    this.connection = new Sqlite(file, { timeout: 5_000 });
    this.connection.pragma('journal_mode = WAL');
    this.connection.pragma('synchronous = FULL');
  }

  read(sql: string, ...values: unknown[]): Row[] {
    const statement = this.prepared(sql);
    if (statement.reader) return statement.all(values) as Row[];
    const { changes, lastInsertRowid } = statement.run(values);
    return changes === 0 ? [] : [[lastInsertRowid]];
  }

  run(sql: string, ...values: unknown[]): Promise<Row[]> {
    return this.transaction(function* (): Unit<Row[]> {
      return yield [sql, ...values];
    });
  }

  /** The unit either throws before it has written anything, or succeeds. */
  transaction<T>(unit: () => Unit<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { unit, resolve: resolve as Waiting['resolve'], reject };
      if (this.waiting.push(waiting) === 1) setImmediate(this.commit);
    });
  }

  private readonly commit = (): void => {
    const batch = this.waiting;
    this.waiting = [];
    try {
      this.read('BEGIN IMMEDIATE');
      for (const waiting of batch) {
        const unit = waiting.unit();
        let step = unit.next();
        while (!step.done) step = unit.next(this.read(...step.value));
        waiting.result = step.value;
      }
      this.read('COMMIT');
    } catch (error) {
      if (this.connection.inTransaction) this.read('ROLLBACK');
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const { resolve, result } of batch) resolve(result);
  };

  private prepared(sql: string): Sqlite.Statement {
    let statement = this.statements.get(sql);
    if (!statement) {
      // SQLite takes longer to return a row than to name its id.
      statement = this.connection.prepare(sql.replace(' RETURNING id', '')).safeIntegers();
      this.statements.set(sql, statement.reader ? statement.raw() : statement);
    }
    return statement;
  }
}
