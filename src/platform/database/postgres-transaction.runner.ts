import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { RunningTransaction } from './running-transaction.js';

/** Runs what TypeORM's EntityManager sends within a transaction that has begun, and that others will end. */
export class PostgresTransactionRunner extends PostgresQueryRunner {
  constructor(
    dataSource: DataSource,
    private readonly client: PoolClient,
    private readonly running: RunningTransaction,
  ) {
    super(dataSource.driver as PostgresDriver, 'master');
    // So that a transaction of the manager's own is a savepoint in this one.
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }

  override connect(): Promise<PoolClient> {
    return Promise.resolve(this.client);
  }

  override async query(sql: string, parameters?: unknown[], isStructured?: boolean): Promise<never> {
    this.running.requireOpen();
    try {
      // TypeORM declares one type of rows for every kind of statement: any.
      return (await super.query(sql, parameters, isStructured)) as never;
    } catch (error) {
      throw this.running.translated(error);
    }
  }
}
