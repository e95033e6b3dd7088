import type { Database as SqliteConnection } from 'better-sqlite3';
import type { Pool } from 'pg';
import type {
  DataSource,
  EntityMetadata,
  ObjectLiteral,
  QueryRunner,
  ReplicationMode,
  SelectQueryBuilder,
} from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/**
 * What this package reads or replaces of TypeORM beside what its documentation has. All of it is used when a database
 * is opened or a statement is built, so a release of TypeORM without it ends the start.
 */
function internal<T>(owner: object, name: string): T {
  const found = (owner as Record<string, unknown>)[name];
  if (found === undefined) throw new TypeError(`This release of TypeORM has no ${name}: use 1.1.`);
  return found as T;
}

/** The pool of a data source on PostgreSQL. */
export function poolOf({ driver }: DataSource): Pool {
  return internal(driver, 'master');
}

/** The connection of a data source on SQLite. */
export function connectionOf({ driver }: DataSource): SqliteConnection {
  return internal(driver, 'databaseConnection');
}

/** A query runner of its own. The one of SQLite's driver has prepared statements that read integers as numbers. */
export function newRunner({ driver }: DataSource): QueryRunner {
  const { constructor } = driver.createQueryRunner('master');
  const Runner = constructor as new (of: typeof driver, mode: ReplicationMode) => QueryRunner;
  return new Runner(driver, 'master');
}

/** SQLite has another name for it, and TypeORM compares only names. */
export function acceptBytea({ driver }: DataSource): void {
  internal<string[]>(driver, 'supportedDataTypes').push('bytea');
}

/**
 * Every integer of SQLite is read as a bigint, and stays one where its column is of that type. TypeORM reads generated
 * ids only for "increment" columns, and as numbers.
 */
export function readIntegersExactly({ driver }: DataSource): void {
  internal(driver, 'createGeneratedMap');
  const hydrate = driver.prepareHydratedValue.bind(driver);
  driver.prepareHydratedValue = (value: unknown, column: ColumnMetadata): unknown => {
    const isNumber = typeof value === 'bigint' && driver.normalizeType(column) !== 'bigint';
    return hydrate(isNumber ? Number(value) : value, column) as unknown;
  };
  driver.createGeneratedMap = (
    { generatedColumns }: EntityMetadata,
    lastId: bigint,
    index = 0,
    count = 1,
  ): ObjectLiteral | undefined => {
    const column = generatedColumns.find(({ generationStrategy }) => generationStrategy !== 'uuid');
    const id = lastId - BigInt(count - 1 - index);
    return column?.createValueMap(driver.prepareHydratedValue(id, column));
  };
}

const PARTS = ['mainAlias', 'selects', 'orderBys', 'wheres', 'joinAttributes'] as const;

/** The conditions of a builder. */
export type SelectParts = Pick<
  SelectQueryBuilder<ObjectLiteral>['expressionMap'],
  (typeof PARTS)[number] | 'lockMode'
>;

export function partsOf({ expressionMap }: SelectQueryBuilder<ObjectLiteral>): SelectParts {
  for (const name of PARTS) internal(expressionMap, name);
  return expressionMap;
}

/** Names every selected column after its property, and returns these columns. */
export function nameColumns(parts: SelectParts): ColumnMetadata[] {
  const { name: alias, metadata } = parts.mainAlias!;
  const named = new Map(metadata.columns.map((column) => [`${alias}.${column.propertyPath}`, column]));
  const all: SelectParts['selects'] = [...named]
    .filter(([, { isSelect }]) => isSelect)
    .map(([selection]) => ({ selection }));
  parts.selects = parts.selects
    .flatMap((select) => (select.selection === alias ? all : [select]))
    .map((select) => ({
      ...select,
      aliasName: select.aliasName ?? named.get(select.selection)?.propertyPath,
    }));
  return parts.selects.flatMap(({ selection, aliasName }) => {
    const column = named.get(selection);
    return column?.propertyPath === aliasName ? [column!] : [];
  });
}
