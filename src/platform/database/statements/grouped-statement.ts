import type { SqlValue } from '../sql-session.js';
import type { CompiledStatement } from './compiled-statement.js';

/** A text in quotes, or a placeholder. */
const PLACEHOLDER = /'(?:[^']|'')*'|\$(\d+)/g;

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

/**
 * The text that runs a SELECT once for each element of its arguments, which are arrays. Its first column is the
 * position of that element, from 1. The rows of a position have the order that they have without the others.
 * @param types of the arguments, as PostgreSQL names them
 */
export function groupedSql({ sql, selected }: CompiledStatement, types: readonly string[]): string {
  const { names, order } = selected!;
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  const elements = types.map((_, index) => `a${index + 1}`);
  const one = sql.replace(PLACEHOLDER, (match, number?: string) => (number ? `given.a${number}` : match));
  return `SELECT given.n::int, ${names.map((name) => `one."${name}"`).join(', ')}
    FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS given(${elements.join(', ')}, n)
    CROSS JOIN LATERAL (${one}) AS one
    ORDER BY ${['given.n', ...order.map((by) => `one.${by}`)].join(', ')}`;
}
