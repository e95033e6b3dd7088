import type { EntityMetadata } from 'typeorm';
import type { SelectParts } from '../opening/typeorm-internals.js';
import type { RowKey, SqlValue } from '../sql-session.js';
import { groupedTypeOf, keyOf } from './grouped-statement.js';

/** The arguments that name a row by its primary key. */
export interface KeyArguments {
  readonly table: string;
  readonly names: readonly string[];
  /** The SQL types of the columns, as a grouped statement declares them. */
  readonly types: readonly string[];
}

/** Types whose equal values have equal texts. */
const TYPES = new Map<unknown, string>([
  ...['bigint', 'int8', 'integer', 'int', 'int4', 'smallint', Number].map(
    (type) => [type, 'bigint'] as const,
  ),
  ...['text', 'varchar', 'character varying', String].map((type) => [type, 'text'] as const),
]);

const EQUALITY = /^(\w+)\.(\w+) = :(\w+)$/;

/** The primary key of a table as arguments; null when not each of its columns is one of the names. */
export function keyOfTable(
  { tablePath, primaryColumns }: EntityMetadata,
  argumentOf: (property: string) => string | undefined,
): KeyArguments | null {
  const names = primaryColumns.map(({ propertyPath }) => argumentOf(propertyPath));
  const types = primaryColumns.map(({ type, transformer }) => (transformer ? undefined : TYPES.get(type)));
  if (names.length === 0 || names.includes(undefined) || types.includes(undefined)) return null;
  return { table: tablePath, names: names as string[], types: types as string[] };
}

/** What a SELECT looks up; null unless it compares a whole primary key of one table with arguments. */
export function keyArguments({ wheres, mainAlias, joinAttributes }: SelectParts): KeyArguments | null {
  if (joinAttributes.length > 0) return null;
  const compared = new Map<string, string>();
  for (const { type, condition } of wheres) {
    if (type === 'or' || typeof condition !== 'string') return null;
    for (const one of condition.split(' AND ')) {
      const [, alias, property, argument] = EQUALITY.exec(one) ?? [];
      if (alias !== mainAlias!.name) return null;
      compared.set(property!, argument!);
    }
  }
  return keyOfTable(mainAlias!.metadata, (property) => compared.get(property));
}

/** The name of the row with these values; null when one of them has another type than its column. */
export function rowName({ table, places, types }: RowKey, values: readonly SqlValue[]): string | null {
  const key = places.map((place) => values[place]!);
  const isTyped = key.every((value, index) => groupedTypeOf(value) === types[index]);
  return isTyped ? `${table} ${keyOf(key)}` : null;
}
