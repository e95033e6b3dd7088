import type { SqlValue } from '../sql-session.js';
import type { CompiledStatement } from './compiled-statement.js';

/** A text in quotes, or a placeholder and the column, if any, of which it is the value. */
const PLACEHOLDER =
  /'(?:[^']|'')*'|(?:(?<=WHERE |AND |OR |\()("[^"]+"\."[^"]+") = (?=\$\d+(?:$|\)| (?:AND|OR|ORDER|LIMIT) )))?\$(\d+)/g;

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
  // As subqueries, their lengths are unknown to the planner. Otherwise it would plan short arrays each time.
  const arrays = types.map((type, index) => `(SELECT $${index + 1}::${type}[])`);
  const elements = types.map((_, index) => `a${index + 1}`);
  return `SELECT given.n::int, ${names.map((name) => `one."${name}"`).join(', ')}
    FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS given(${elements.join(', ')}, n)
    CROSS JOIN LATERAL (${oneSql(sql)}) AS one
    ORDER BY ${['given.n', ...order.map((by) => `one.${by}`)].join(', ')}`;
}

/**
 * The text for one element. PostgreSQL plans it without the values. For `status = …` it would expect as many rows as the
 * statuses have on average: all of them when there is only one, and then it would read the table in the order of ids
 * until it has found enough. It expects few rows of a range, so it takes the index of the column.
 */
function oneSql(sql: string): string {
  return sql.replace(PLACEHOLDER, (match, column?: string, number?: string) => {
    if (number === undefined) return match;
    const value = `given.a${number}`;
    return column ? `(${column} = ${value} AND ${column} BETWEEN ${value} AND ${value})` : value;
  });
}
