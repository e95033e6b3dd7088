import type { EntityMetadata, InsertQueryBuilder, ObjectLiteral } from 'typeorm';

/** Types whose values PostgreSQL reads from an array exactly as it reads them from a parameter. */
const UNCHANGED_IN_ARRAYS = new Set([
  'bigint',
  'boolean',
  'character varying',
  'double precision',
  'integer',
  'smallint',
  'text',
  'timestamp with time zone',
  'timestamp without time zone',
  'uuid',
]);

/**
 * PostgreSQL's INSERT of one row, for any number of rows: each parameter becomes an array with its value for each row.
 * The ids come back in the order of the rows. Null when a value is an expression, or of a type that an array may change.
 * @param valueCount how many parameters the INSERT of one row has
 */
export function insertOfMany<R extends ObjectLiteral>(
  { expressionMap, dataSource: { driver } }: InsertQueryBuilder<R>,
  { columns, tablePath, versionColumn }: EntityMetadata,
  valueCount: number,
  returning: string,
): string | null {
  const { valuesSet, onUpdate, onIgnore } = expressionMap;
  const isWritten = new Set(Object.keys(valuesSet ?? {}));
  const written = columns.filter(({ propertyPath }) => isWritten.has(propertyPath));
  const types = written.map((column) => (column.isArray ? 'array' : driver.normalizeType(column)));
  const isSafe = types.every((type) => UNCHANGED_IN_ARRAYS.has(type));
  const hasMore = onUpdate || onIgnore || versionColumn || written.length !== valueCount;
  if (!isSafe || hasMore || valueCount === 0) return null;
  const table = tablePath
    .split('.')
    .map((name) => driver.escape(name))
    .join('.');
  const values = written.map((_, index) => `value_${index + 1}`).join(', ');
  return [
    `INSERT INTO ${table}(${written.map(({ databaseName }) => driver.escape(databaseName)).join(', ')})`,
    `SELECT ${values}`,
    `FROM unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`,
    `WITH ORDINALITY AS item(${values}, position)`,
    // The ids are generated in this order.
    'ORDER BY position',
    `RETURNING ${returning}`,
  ].join(' ');
}
