import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { SelectParts } from '../opening/typeorm-internals.js';
import type { Groupable, SelectSql, SqlValue } from '../sql-session.js';

/** The type in which a value is given to a grouped statement; null when it has none. */
export function groupedTypeOf(value: SqlValue | boolean): string | null {
  switch (typeof value) {
    case 'bigint':
      return 'bigint';
    case 'string':
      return 'text';
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isSafeInteger(value) ? 'bigint' : null;
    default:
      return null;
  }
}

/** Equal for equal values of the same types: a text begins with its length. None has bytes. */
export function keyOf(values: readonly SqlValue[]): string {
  let key = '';
  for (const value of values as readonly Exclude<SqlValue, Uint8Array>[])
    key += typeof value === 'string' ? `${value.length}:${value} ` : `${value} `;
  return key;
}

/** A SELECT, and arguments of the same types for which it is run once each. */
export interface Group {
  readonly sql: string;
  readonly values: readonly (readonly SqlValue[])[];
}

const texts = new WeakMap<Groupable, Map<string, string>>();

/** One statement for all these arguments; null when their types differ, or the SELECT must run as it is. */
export function grouped(
  { sql, groupable }: Pick<SelectSql, 'sql' | 'groupable'>,
  each: readonly (readonly SqlValue[])[],
): Group | null {
  const types = each[0]!.map(groupedTypeOf);
  const areUniform = each.every((values) =>
    values.every((value, index) => types[index] !== null && groupedTypeOf(value) === types[index]),
  );
  if (groupable === null || types.length === 0 || !areUniform) return null;
  let known = texts.get(groupable);
  if (known === undefined) texts.set(groupable, (known = new Map<string, string>()));
  const name = `${types.join()} ${sql}`;
  let text = known.get(name);
  if (text === undefined) known.set(name, (text = groupedSql({ sql, groupable }, types as string[])));
  return { sql: text, values: types.map((_, index) => each.map((values) => values[index]!)) };
}

/**
 * The text that runs a SELECT once for each element of its arguments, which are arrays. Its first column is the
 * position of that element, from 1. The rows of a position have the order that they have without the others.
 * @param types of the arguments, as PostgreSQL names them
 */
export function groupedSql(
  { sql, groupable }: Pick<SelectSql, 'sql' | 'groupable'>,
  types: readonly string[],
): string {
  const { names, order } = groupable!;
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  const elements = types.map((_, index) => `a${index + 1}`);
  // OFFSET makes PostgreSQL run it for each element. It would else join the two, and read all of a table that it
  // believes to have few rows.
  // Every constant is a parameter too, so nothing else has a dollar and a number.
  const one = sql.replace(/\$(\d+)/g, 'given.a$1');
  return `SELECT given.n::int, ${names.map((name) => `one."${name}"`).join(', ')}
    FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS given(${elements.join(', ')}, n)
    CROSS JOIN LATERAL (SELECT * FROM (${one}) AS one OFFSET 0) AS one
    ORDER BY ${['given.n', ...order.map((by) => `one.${by}`)].join(', ')}`;
}

/** A grouped statement gets its arguments as text, and these types compare otherwise with text than with each other. */
const COMPARED_OTHERWISE = new Set<unknown>(['char', 'character', 'citext']);

/**
 * Null unless the statement reads and sorts by nothing but columns: an expression may have an effect, and must have it
 * for each reader.
 */
export function groupable(
  { selects, orderBys, mainAlias }: Pick<SelectParts, 'selects' | 'orderBys' | 'mainAlias'>,
  columns: readonly ColumnMetadata[],
): Groupable | null {
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
  return { names, order };
}
