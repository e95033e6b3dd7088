import {
  type DataSource,
  type EntityManager,
  type ObjectLiteral,
  QueryResult,
  type QueryRunner,
} from 'typeorm';
import { StorageUnavailable, type Transaction, type UnitOfWork } from '@animal-store/kernel';
import type { SqlValue } from './sql-session.js';

/** What changes rows in more than one statement, or sets ids and versions in the entities that it is given. */
const WRITES = ['save', 'remove', 'softRemove', 'recover', 'insert', 'upsert'] as const;

/** What the repositories need of the database. */
interface OpenDatabase extends UnitOfWork {
  queryOnce<Row>(sql: string, parameters: readonly SqlValue[]): Promise<Row[]>;
  entityManager(transaction: Transaction): EntityManager;
}

type Write = (...args: unknown[]) => Promise<unknown>;

/**
 * TypeORM's EntityManager outside units of work, for repositories as its documentation has them. Reads see committed
 * rows, and do not wait for writes. Each call that writes is a unit of work of its own.
 */
export function stockEntityManager(database: OpenDatabase, dataSource: DataSource): EntityManager {
  const manager = dataSource.createEntityManager(runnerOf(database, dataSource));
  for (const name of WRITES)
    Object.assign(manager, { [name]: (...args: unknown[]) => write(database, name, args) });
  return manager;
}

function write(database: OpenDatabase, name: (typeof WRITES)[number], args: unknown[]): Promise<unknown> {
  let isDone = false;
  return database.run(async (transaction) => {
    // After a failed COMMIT the entities still have their new ids and versions. Before it, TypeORM has changed nothing.
    if (isDone) throw new StorageUnavailable(new Error(`The transaction of ${name}() failed at its end.`));
    const manager = database.entityManager(transaction);
    const result = await (manager[name] as Write).apply(manager, args);
    isDone = true;
    return result;
  });
}

/** Whatever uses the DataSource, such as `repository.manager.dataSource`, would write into others' transactions. */
export function guarded<Opened extends OpenDatabase>(dataSource: DataSource, database: Opened): Opened {
  const createManager = () => stockEntityManager(database, dataSource);
  Object.assign(dataSource, {
    manager: createManager(),
    createQueryRunner: () => createManager().queryRunner,
  });
  const { driver } = dataSource;
  const escape = driver.escapeQueryWithParameters.bind(driver);
  driver.escapeQueryWithParameters = (sql, parameters) => escape(sql, comparable(sql, parameters));
  return database;
}

/**
 * Makes a condition of `findBy()` and its kin on a number that no integer column has, such as `+id` of a path, false
 * on both databases. PostgreSQL would refuse it as a parameter, which has the type of the column. SQLite has no NaN.
 */
function comparable(sql: string, parameters: ObjectLiteral): ObjectLiteral {
  const isOutside = (value: unknown) =>
    typeof value === 'number' && !Object.is(value, value | 0) && !(value % 1);
  const stored = /^(?:INSERT|UPDATE)\b.*?(?: WHERE |$)/s.exec(sql)?.[0] ?? '';
  const isCompared = (name: string) => name.startsWith('orm_param_') && !stored.includes(`:${name}`);
  const entries = Object.entries(parameters).map(([name, value]: [string, unknown]) =>
    isCompared(name) && isOutside(value) ? [name, () => literal(value as number)] : [name, value],
  );
  return Object.fromEntries(entries) as ObjectLiteral;
}

function literal(value: number): string {
  return Number.isFinite(value) ? `(${value})` : '(NULL)';
}

/** Runs each statement by itself. */
function runnerOf(database: OpenDatabase, { driver }: DataSource): QueryRunner {
  return Object.assign(Object.create(driver.createQueryRunner('master')) as QueryRunner, {
    connect: () => Promise.resolve(),
    query: async (sql: string, parameters: unknown[] = [], isStructured = false): Promise<unknown> => {
      const enclosing = database.enclosing();
      if (enclosing || !/^\s*SELECT\b/i.test(sql)) {
        return database.run(
          (transaction) =>
            database.entityManager(transaction).queryRunner!.query(sql, parameters, isStructured as true),
          enclosing,
        );
      }
      const rows = await database.queryOnce<ObjectLiteral>(sql, parameters.map(bound));
      return isStructured ? Object.assign(new QueryResult(), { raw: rows, records: rows }) : rows;
    },
    startTransaction: () =>
      Promise.reject(
        new TypeError(
          'A stock repository begins no transaction. Use UnitOfWork.run(), and in it ' +
            'database.entityManager(transaction).withRepository(repository).',
        ),
      ),
  });
}

/** SQLite has no booleans. PostgreSQL takes the number for one. */
function bound(value: unknown): SqlValue {
  return (typeof value === 'boolean' ? Number(value) : value) as SqlValue;
}
