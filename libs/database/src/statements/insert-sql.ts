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

/**
 * What an INSERT of PostgreSQL has instead of VALUES to insert any number of rows: each parameter is an array with a value
 * for each row. The ids are generated in the order of the rows. Null when a column has a type that an array may change.
 */
export function arraysSql(columns: readonly ColumnMetadata[], { driver }: DataSource): string | null {
  const types = columns.map((column) => (column.isArray ? 'array' : driver.normalizeType(column)));
  if (!types.every((type) => UNCHANGED_IN_ARRAYS.has(type))) return null;
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const values = types.map((_, index) => `value_${index + 1}`).join(', ');
  return `SELECT ${values} FROM unnest(${arrays}) WITH ORDINALITY AS item(${values}, position) ORDER BY position`;
}
