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
 * Each statement is planned once, without its values, so no value can change its plan. PostgreSQL then expects more
 * rows than there are. With many rows in a table it would compile such a plan to machine code, which takes much longer
 * than running it.
 *
 * The plan stays while the table grows. For a table that was empty PostgreSQL would plan to read all of it.
 */
const PLANNING = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['jit', 'off'],
  ['enable_seqscan', 'off'],
] as const;

/** A frozen process loses its locks. A unit of work awaits only the database, so it is never idle for as long. */
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
  "set_config('lock_timeout', $2, true)",
].join(', ')}`;

const SET_LOCK_LIMIT = "SELECT set_config('lock_timeout', $1, true)";

/** How long a statement of a pool may take, and how long it may wait for a lock; 0 when that is the same. */
export interface Limits {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

/** What is set at the beginning of the session: what counts most, last. */
const OF_ROLE = `SELECT unnest(setconfig) AS setting FROM pg_db_role_setting
  WHERE setrole IN (0, current_user::regrole)
    AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
  ORDER BY setrole = 0 DESC, setdatabase = 0 DESC`;

const IS_PREPARED = 'SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = $1) AS "isPrepared"';

/** The limits of the connections that lead to a pooler. */
const limits = new WeakMap<ClientBase, Limits>();
/** The connections to a pooler whose sessions have all that a statement outside a transaction needs. */
const havingSettings = new WeakSet<ClientBase>();

/**
 * Whether a pooler, such as PgBouncer, is between: it gives its clients other process numbers than PostgreSQL. Each
 * transaction may then run in another session, which other clients have used before.
 * @param pid of the session
 */
export function isPooled(client: ClientBase, pid: number): boolean {
  return (client as Client & { readonly processID: number | null }).processID !== pid;
}

/** Sets up a session that only this connection uses. */
export async function prepareSession(
  client: ClientBase,
  { statementTimeoutMs, lockTimeoutMs }: Limits,
): Promise<void> {
  const own = [
    ['statement_timeout', statementTimeoutMs],
    ['lock_timeout', lockTimeoutMs],
  ];
  const settings = [...PLANNING, IDLE_LIMIT, ...KEEP_ALIVE, ...own];
  await client.query(settings.map(([name, value]) => `SET ${name} = '${value}'`).join('; '));
}

/** Sets up a connection to a pooler. Nothing may be left in a session: settingsFor() is for each transaction. */
export async function preparePooled(client: ClientBase, ofPool: Limits): Promise<void> {
  limits.set(client, ofPool);
  if (await hasSettings(client, ofPool)) havingSettings.add(client);
  const name = randomUUID();
  const probe = new SentStatement({ sql: IS_PREPARED, name, text: IS_PREPARED }, [name]);
  await client.query('BEGIN');
  await new RoundTrip([probe]).send(client);
  // A pooler that knows the prepared statements of its clients has a name of its own for each. Any other one would run
  // the statement of this name in whatever session comes next.
  if ((probe.rows as { isPrepared: boolean }[])[0]!.isPrepared) {
    prepareWithoutNames(client);
    await client.query(`DEALLOCATE "${name}"`);
  }
  await client.query('COMMIT');
}

async function hasSettings(
  client: ClientBase,
  { statementTimeoutMs, lockTimeoutMs }: Limits,
): Promise<boolean> {
  const { rows } = await client.query<{ setting: string }>(OF_ROLE);
  const ofRole = new Map(rows.map(({ setting }) => setting.split('=', 2) as [string, string]));
  const own = [...PLANNING, ['statement_timeout', `${statementTimeoutMs}`] as const];
  return (
    own.every(([name, value]) => ofRole.get(name) === value) &&
    (ofRole.get('lock_timeout') ?? '0') === `${lockTimeoutMs}`
  );
}

/** What comes before a statement outside a transaction; null when its session has these settings. */
export function settingsForOne(client: ClientBase, names: StatementNames): SentStatement | null {
  return havingSettings.has(client) ? null : settingsFor(client, names);
}

/**
 * What comes first in each transaction on the connection; null when its session has these settings.
 * @param lockTimeoutMs instead of that of the pool
 */
export function settingsFor(
  client: ClientBase,
  names: StatementNames,
  lockTimeoutMs?: number,
): SentStatement | null {
  const ofPool = limits.get(client);
  if (ofPool === undefined && lockTimeoutMs === undefined) return null;
  const [sql, values] =
    ofPool === undefined
      ? [SET_LOCK_LIMIT, [lockTimeoutMs]]
      : [SET_FOR_TRANSACTION, [ofPool.statementTimeoutMs, lockTimeoutMs ?? ofPool.lockTimeoutMs]];
  return new SettingsStatement(names.of(sql), values, false);
}
