import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** The rows of a SELECT, for statements that read them from it. */
export interface SelectedColumns {
  /** The names of its columns. */
  readonly names: readonly string[];
  /** Its order by these names, as in `"stars" DESC`. */
  readonly order: readonly string[];
  /** Whether no value can be changed, so that several readers can have the same frozen rows. */
  readonly isShareable: boolean;
}

/** Values of these types are text, numbers and booleans in JavaScript. */
const IMMUTABLE = new Set<unknown>([
  ...['bigint', 'int8', 'integer', 'int', 'int4', 'smallint', 'int2', Number],
  ...['text', 'varchar', 'uuid', String, 'boolean', 'bool', Boolean],
]);

/** A grouped statement gets its arguments as text, and these types compare otherwise with text than with each other. */
const COMPARED_OTHERWISE = new Set<unknown>(['char', 'character', 'citext']);

/**
 * Null unless the statement reads and sorts by nothing but columns: an expression may have an effect, and must have it
 * for each reader.
 */
export function selectedColumns(
  { selects, orderBys, mainAlias }: SelectQueryBuilder<ObjectLiteral>['expressionMap'],
  columns: readonly ColumnMetadata[],
): SelectedColumns | null {
  if (columns.length !== selects.length) return null;
  if (mainAlias!.metadata.columns.some(({ type }) => COMPARED_OTHERWISE.has(type))) return null;
  const names = columns.map(({ propertyPath }) => propertyPath);
  const prefix = `${mainAlias!.name}.`;
  const order: string[] = [];
  for (const [sorted, by] of Object.entries(orderBys)) {
    const name = sorted.slice(prefix.length);
    if (!sorted.startsWith(prefix) || !names.includes(name)) return null;
    order.push(`"${name}" ${typeof by === 'string' ? by : [by.order, by.nulls].filter(Boolean).join(' ')}`);
  }
  return {
    names,
    order,
    isShareable: columns.every(({ type, transformer }) => !transformer && IMMUTABLE.has(type)),
  };
}
