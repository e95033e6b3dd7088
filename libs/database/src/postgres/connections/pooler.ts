import { randomUUID } from 'node:crypto';
import type { Client, ClientBase } from 'pg';
import {
  prepareWithoutNames,
  RoundTrip,
  SentStatement,
  SettingsStatement,
  type StatementNames,
} from '../round-trip.js';

/**
 * Each statement is planned once, without its values, so no value can change its plan. PostgreSQL then expects more rows
 * than there are. With many rows in a table it would compile such a plan to machine code, which takes much longer than
 * running it.
 *
 * The plan stays while the table grows. For a table that was empty PostgreSQL would plan to read all of it.
 */
const PLANNING = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['jit', 'off'],
  ['enable_seqscan', 'off'],
] as const;

/** A frozen process holds its locks no longer. A unit of work awaits only the database, so it is never idle for as long. */
const IDLE_LIMIT = ['idle_in_transaction_session_timeout', '3s'] as const;

/** A host that has vanished is noticed within 15 s. A pooler has settings of its own for this. */
const KEEP_ALIVE = [
  ['tcp_keepalives_idle', 5],
  ['tcp_keepalives_interval', 3],
  ['tcp_keepalives_count', 3],
  ['tcp_user_timeout', 14_000],
] as const;

const SET_FOR_TRANSACTION = `SELECT ${[
  ...[...PLANNING, IDLE_LIMIT].map(([name, value]) => `set_config('${name}', '${value}', true)`),
  "set_config('statement_timeout', $1, true)",
].join(', ')}`;

const IS_PREPARED = 'SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = $1) AS "isPrepared"';

/** The time limits of statements on the connections that lead to a pooler. */
const limits = new WeakMap<ClientBase, number>();

/**
 * Whether a pooler, such as PgBouncer, is between: it gives its clients other process numbers than PostgreSQL. Each
 * transaction may then run in another session, which other clients have used before.
 * @param pid of the session
 */
export function isPooled(client: ClientBase, pid: number): boolean {
  return (client as Client & { readonly processID: number | null }).processID !== pid;
}

/** Sets up a session that only this connection uses. */
export async function prepareSession(client: ClientBase, limitMs: number): Promise<void> {
  const settings = [...PLANNING, IDLE_LIMIT, ...KEEP_ALIVE, ['statement_timeout', limitMs]];
  await client.query(settings.map(([name, value]) => `SET ${name} = '${value}'`).join('; '));
}

/** Sets up a connection to a pooler. Nothing may be left in a session: settingsFor() is for each transaction. */
export async function preparePooled(client: ClientBase, limitMs: number): Promise<void> {
  limits.set(client, limitMs);
  const name = randomUUID();
  const probe = new SentStatement({ sql: IS_PREPARED, name, text: IS_PREPARED }, [name]);
  await client.query('BEGIN');
  await new RoundTrip([probe]).send(client);
  // A pooler that knows the prepared statements of its clients has a name of its own for each. Any other one would run the
  // statement of this name in whatever session comes next.
  if ((probe.rows as { isPrepared: boolean }[])[0]!.isPrepared) {
    prepareWithoutNames(client);
    await client.query(`DEALLOCATE "${name}"`);
  }
  await client.query('COMMIT');
}

/** What comes first in each transaction on the connection; null when its session has these settings. */
export function settingsFor(client: ClientBase, names: StatementNames): SentStatement | null {
  const limitMs = limits.get(client);
  return limitMs === undefined
    ? null
    : new SettingsStatement(names.of(SET_FOR_TRANSACTION), [limitMs], false);
}
