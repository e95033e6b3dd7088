import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { OpenTransaction } from '../open-transaction.js';

/** Runs the queries of a TypeORM EntityManager inside a transaction that it neither begins nor ends. */
export class PostgresTransactionRunner extends PostgresQueryRunner {
  constructor(
    dataSource: DataSource,
    private readonly client: PoolClient,
    private readonly transaction: OpenTransaction,
  ) {
    super(dataSource.driver as PostgresDriver, 'master');
    // Makes a transaction that the manager begins a savepoint of this one.
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }

  override connect(): Promise<PoolClient> {
    return Promise.resolve(this.client);
  }

  override async query(sql: string, parameters?: unknown[], isStructured?: boolean): Promise<never> {
    this.transaction.requireOpen();
    try {
      // TypeORM declares the result of every kind of statement as any.
      return (await super.query(sql, parameters, isStructured)) as never;
    } catch (error) {
      throw this.transaction.translated(error);
    }
  }
}
