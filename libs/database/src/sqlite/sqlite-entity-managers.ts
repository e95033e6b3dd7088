import type { Database as Connection, Statement } from 'better-sqlite3';
import type { DataSource, EntityManager } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { entityManagerWithin, type OpenTransaction } from '../entity-manager.js';
import { readIntegersExactly } from '../opening/typeorm-internals.js';

/** The number of statements that TypeORM itself caches. Their texts may differ with every value. */
const MAX_STATEMENTS = 100;

/** TypeORM EntityManagers on the connection of the write queue. */
export class SqliteEntityManagers {
  private readonly prepared = new Map<string, Statement>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly connection: Connection,
  ) {
    readIntegersExactly(dataSource);
  }

  /** An EntityManager inside the transaction, which refuses statements after the end of the transaction. */
  managerFor(transaction: Omit<OpenTransaction, 'connect'>): EntityManager {
    // TypeORM uses the connection only to prepare statements; each text is prepared once.
    const connection = { prepare: (sql: string) => this.prepare(sql) };
    const runner = new BetterSqlite3QueryRunner(this.dataSource.driver as BetterSqlite3Driver);
    return entityManagerWithin(
      { ...transaction, connect: () => Promise.resolve(connection) },
      this.dataSource,
      runner,
    );
  }

  private prepare(sql: string): Statement {
    const known = this.prepared.get(sql);
    if (known) return known;
    const statement = this.connection.prepare(sql).safeIntegers(true);
    this.prepared.set(sql, statement);
    if (this.prepared.size > MAX_STATEMENTS) this.prepared.delete(this.prepared.keys().next().value!);
    return statement;
  }
}
