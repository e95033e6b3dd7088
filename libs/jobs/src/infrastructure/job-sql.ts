import type { Database, RecordNames } from '@animal-store/database';
import type { JobRecord } from './job.record.js';

type Names = RecordNames<JobRecord>;
type Dialect = Pick<Database, 'dialect'>;

/** The names that most SQL texts use. */
export function namesOf({ table, columns }: Names) {
  const { id, kind, subject, state, dueAtMs: due, endedAtMs: ended } = columns;
  return { table, id, kind, subject, state, due, ended };
}

/** These columns, under the names of their properties. */
export function selected({ columns }: Names, properties: readonly (keyof JobRecord)[]): string {
  return properties.map((name) => `${columns[name]} AS "${name}"`).join(', ');
}

/** The elements of the array that is the argument of this name, as the column `value` of `given`. */
export function valuesOf({ dialect }: Dialect, name: string): string {
  return dialect === 'postgres' ? `unnest(:${name}::text[]) AS given(value)` : `json_each(:${name}) AS given`;
}

/** The time of the database, in milliseconds since the Unix epoch. SQLite has none but that of the process. */
export function nowOf({ dialect }: Dialect): string {
  return dialect === 'postgres' ? 'CAST(EXTRACT(epoch FROM clock_timestamp()) * 1000 AS bigint)' : 'NULL';
}

/** Locks the rows that a SELECT finds. Those that another worker is changing are left to it. */
export function lockOf({ dialect }: Dialect): string {
  return dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
}

/** What an UPDATE or a DELETE of the rows with these ids begins with. PostgreSQL must not find them more than once. */
export function claiming({ dialect }: Dialect, ids: string): string {
  return dialect === 'postgres' ? `WITH claimed AS MATERIALIZED (${ids})` : '';
}

/** The condition that goes with it. PostgreSQL expects few elements of an array, so it finds each one by its index. */
export function isClaimed({ dialect }: Dialect, id: string, ids: string): string {
  return dialect === 'postgres' ? `${id} = ANY (ARRAY(SELECT * FROM claimed))` : `${id} IN (${ids})`;
}
