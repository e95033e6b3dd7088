import type { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

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

/** An INSERT of one row, as a text with placeholders. */
export function insertSql(table: string, columns: readonly ColumnMetadata[], { driver }: DataSource): string {
  const names = columns.map(({ databaseName }) => driver.escape(databaseName));
  const values = columns.map(({ propertyPath }) => `:${propertyPath}`);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})`;
}

/**
 * PostgreSQL's INSERT of any number of rows: each of its parameters is an array with a value for each row. The ids are
 * generated in the order of the rows. Null when a column has a type that an array may change.
 */
export function insertOfManySql(
  table: string,
  columns: readonly ColumnMetadata[],
  { driver }: DataSource,
): string | null {
  const types = columns.map((column) => (column.isArray ? 'array' : driver.normalizeType(column)));
  if (!types.every((type) => UNCHANGED_IN_ARRAYS.has(type))) return null;
  const names = columns.map(({ databaseName }) => driver.escape(databaseName));
  const values = columns.map((_, index) => `value_${index + 1}`).join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values}
    FROM unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
    WITH ORDINALITY AS item(${values}, position) ORDER BY position`;
}
