import type { Database as Connection, Statement } from 'better-sqlite3';
import type { DataSource, EntityManager, EntityMetadata, ObjectLiteral } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { RunningTransaction } from './running-transaction.js';

/** As many statements as TypeORM itself caches: their texts may differ with every value. */
const MAX_STATEMENTS = 100;

export interface RunningUnit extends RunningTransaction {
  /** Called when a statement that may change something is first run. */
  onWrite(): void;
}

/** TypeORM's entity managers on the connection of the write queue: every integer is a bigint, as records say. */
export class SqliteEntityManagers {
  private readonly prepared = new Map<string, Statement>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly connection: Connection,
  ) {
    readGeneratedIdsExactly(dataSource);
  }

  /** A manager that is a part of the transaction, and refuses to go on after its end. */
  within(unit: RunningUnit): EntityManager {
    const prepare = (sql: string): Statement => this.prepare(sql);
    return this.dataSource.createEntityManager(new TransactionRunner(this.dataSource, prepare, unit));
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

/** Runs what a manager sends within the transaction that the write queue has begun, and will end. */
class TransactionRunner extends BetterSqlite3QueryRunner {
  constructor(
    dataSource: DataSource,
    private readonly prepare: (sql: string) => Statement,
    private readonly unit: RunningUnit,
  ) {
    super(dataSource.driver as BetterSqlite3Driver);
    // So that a transaction of the manager's own is a savepoint in this one.
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }

  /** All that TypeORM does with a connection here is to prepare statements, each text once. */
  override connect(): Promise<unknown> {
    const prepare = (sql: string): Statement => {
      const statement = this.prepare(sql);
      if (!statement.readonly) this.unit.onWrite();
      return statement;
    };
    return Promise.resolve({ prepare });
  }

  override async query(sql: string, parameters?: unknown[], isStructured?: boolean): Promise<never> {
    this.unit.requireOpen();
    try {
      // TypeORM declares one type of rows for every kind of statement: any.
      return (await super.query(sql, parameters, isStructured)) as never;
    } catch (error) {
      throw this.unit.translated(error);
    }
  }
}

/** TypeORM itself reads the ids of "increment" columns alone, as numbers; records have "identity" columns of bigint. */
function readGeneratedIdsExactly({ driver }: DataSource): void {
  const idOf = (column: ColumnMetadata, id: bigint): unknown =>
    driver.prepareHydratedValue(driver.normalizeType(column) === 'bigint' ? id : Number(id), column);
  driver.createGeneratedMap = (
    { generatedColumns }: EntityMetadata,
    lastId: bigint,
    index = 0,
    count = 1,
  ): ObjectLiteral | undefined => {
    const column = generatedColumns.find(({ generationStrategy }) => generationStrategy !== 'uuid');
    return column?.createValueMap(idOf(column, lastId - BigInt(count - 1 - index)));
  };
}
