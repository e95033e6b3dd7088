import type { Database as Connection } from 'better-sqlite3';
import type { EntityManager } from 'typeorm';
import type { OpenTransaction } from '../entity-manager.js';
import { type InsertSql, SqlTransaction, type SqlValue, type WriteSql } from '../sql-session.js';
import type { PreparedStatements } from './prepared-statements.js';

/** An EntityManager inside the transaction. TypeORM connects only to prepare its statements. */
export type ManagerFor = (transaction: Omit<OpenTransaction, 'connect'>) => EntityManager;

export class SqliteTransaction extends SqlTransaction {
  /** How many statements have run in it. */
  statementCount = 0;
  private ended = false;

  constructor(
    private readonly statements: PreparedStatements,
    private readonly connection: Connection,
    private readonly managerFor: ManagerFor,
  ) {
    super();
  }

  async query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    this.requireOpen();
    return this.statements.run<Row>(sql, parameters);
  }

  override async execute({ single }: WriteSql, values: readonly SqlValue[]): Promise<void> {
    this.requireOpen();
    this.statements.run(single, values);
  }

  async insert({ single }: InsertSql, values: readonly SqlValue[]): Promise<bigint> {
    this.requireOpen();
    return this.statements.insert(single, values);
  }

  entityManager(): EntityManager {
    // The manager runs statements of its own.
    this.statements.writeCount++;
    return this.managerFor({
      requireOpen: () => this.requireOpen(),
      translated: this.statements.translated,
    });
  }

  end(): void {
    this.ended = true;
  }

  private requireOpen(): void {
    this.statementCount++;
    // SQLite ends the transaction by itself on some errors. Work that ignores such an error must not write outside a
    // transaction.
    if (this.ended || !this.connection.inTransaction)
      throw new Error('This transaction has ended; the statement would run in another one.');
  }
}
