import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from '@animal-store/kernel';
import type { Database } from './database.js';
import { IS_AWAITED, IS_UNFINISHED, IS_UNUSED, LOOK_EVERY_MS } from './postgres/unfinished-migration.js';
import type { SqlSession, SqlValue } from './sql-session.js';

export interface DataMigrationParts {
  /** The SQLite database. It is locked while its rows are moved. */
  readonly source: Database;
  /**
   * The PostgreSQL database, opened as a migration target: the same tables, all empty, or the unfinished migration of an
   * earlier run.
   */
  readonly target: Database;
  /** The name of the source. A later run continues only a migration from the same source. */
  readonly sourceName: string;
  /** Called after each batch. An error that it throws ends the run, which can be continued later. */
  readonly onProgress: (table: string, copied: number, total: number) => void;
}

/** The rows cannot be moved. The message says why and what to do. */
export class DataMigrationRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DataMigrationRefused';
  }
}

type Row = Record<string, SqlValue>;

interface Table {
  readonly name: string;
  /** The columns, with their types on PostgreSQL. */
  readonly columns: ReadonlyMap<string, string>;
  readonly keyColumns: readonly string[];
  /** How many rows are moved at a time. */
  readonly batchRows: number;
  /** Those that contain whole numbers in the source. */
  readonly integerColumns: ReadonlySet<string>;
  readonly total: number;
}

/** Servers behind a pooler have no lock, so a data migration waits until each has looked for one. */
const SEEN_WITHIN_MS = 2 * LOOK_EVERY_MS;
const WATCH_EVERY_MS = 20;

const BATCH_ROWS = 1_000;
/** Of a table with bytes, whose rows may have megabytes. */
const LARGE_BATCH_ROWS = 10;

const TABLES = `SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite#_%' ESCAPE '#' AND name <> 'migrations' ORDER BY name`;
const COLUMNS = 'SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid';
const TARGET_COLUMNS = `SELECT attname AS name, format_type(atttypid, atttypmod) AS type
  FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`;
const LAST_IDS = 'SELECT name, seq FROM sqlite_sequence';

const BEGIN =
  'CREATE TABLE data_migration (table_name text PRIMARY KEY, source text, copied bigint, last_key text)';
const BEGIN_TABLE = 'INSERT INTO data_migration (table_name, source, copied) VALUES ($1, $2, 0)';
const PROGRESS = 'SELECT source, copied, last_key AS "lastKey" FROM data_migration WHERE table_name = $1';
const NOTE_PROGRESS = 'UPDATE data_migration SET copied = $2, last_key = $3 WHERE table_name = $1';
const END = 'DROP TABLE data_migration';
/** Continues the ids after the highest one ever used, even if its row is gone. */
const CONTINUE_IDS = `SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`;

/**
 * Moves all rows from an embedded database to PostgreSQL and returns their number. Each batch is stored together with
 * its progress, so that an interrupted run can be repeated and continues there. At the end every row is compared on
 * both sides.
 * @throws DataMigrationRefused when the target is in use, contains other data, or differs from the source at the end.
 * @throws StorageUnavailable when a database does not respond, or another process writes to the source.
 */
export async function migrateData({
  source,
  target,
  sourceName,
  onProgress,
}: DataMigrationParts): Promise<number> {
  // In a transaction of the source, so that no other process can write to it.
  return source.run(async (transaction) => {
    const from = source.session(transaction);
    const tables = await tablesOf(from, target);
    await target.run((begun) => begin(tables, sourceName, target.session(begun)));
    for (const table of tables) await copy(table, from, target, onProgress);
    for (const table of tables) await compare(table, from, target);
    await target.run((ending) => end(from, target.session(ending)));
    return tables.reduce((sum, { total }) => sum + total, 0);
  });
}

async function tablesOf(source: SqlSession, target: Database): Promise<Table[]> {
  const tables: Table[] = [];
  for (const { name } of await source.query<{ name: string }>(TABLES)) {
    const columns = await source.query<{ name: string; type: string; pk: bigint }>(COLUMNS, [name]);
    const there = await target.query<{ name: string; type: string }>(TARGET_COLUMNS, [name]);
    const types = new Map(there.map((column) => [column.name, column.type]));
    tables.push({
      name,
      columns: new Map(columns.map((column) => [column.name, types.get(column.name)!])),
      keyColumns: columns
        .filter(({ pk }) => pk > 0n)
        .sort((a, b) => Number(a.pk - b.pk))
        .map((column) => column.name),
      integerColumns: new Set(columns.flatMap(({ name, type }) => (type === 'INTEGER' ? [name] : []))),
      batchRows: columns.some(({ type }) => type === 'BLOB') ? LARGE_BATCH_ROWS : BATCH_ROWS,
      total: await count(name, source),
    });
  }
  return tables;
}

async function count(table: string, session: SqlSession): Promise<number> {
  const [row] = await session.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${table}`);
  return Number(row!.count);
}

/** Starts a migration in an empty target, or checks that the unfinished one there has the same source. */
async function begin(tables: readonly Table[], sourceName: string, target: SqlSession): Promise<void> {
  const isUsed = new DataMigrationRefused(
    'A server or a command uses the target. Stop it, then start again.',
  );
  const [use] = await target.query<{ isUnused: boolean }>(IS_UNUSED);
  if (!use!.isUnused) throw isUsed;
  const [state] = await target.query<{ isUnfinished: boolean }>(IS_UNFINISHED);
  if (state!.isUnfinished) {
    const [progress] = await target.query<{ source: string }>(PROGRESS, [tables[0]!.name]);
    if (progress!.source === sourceName) return;
    throw new DataMigrationRefused(
      `The target contains an unfinished migration of ${progress!.source}. Finish that one, or empty the target.`,
    );
  }
  for (let leftMs = SEEN_WITHIN_MS; leftMs > 0; leftMs -= WATCH_EVERY_MS, await delay(WATCH_EVERY_MS)) {
    const [lock] = await target.query<{ isAwaited: boolean }>(IS_AWAITED);
    if (lock!.isAwaited) throw isUsed;
  }
  await target.query(BEGIN);
  for (const { name } of tables) {
    const rows = await count(name, target);
    if (rows > 0) {
      throw new DataMigrationRefused(
        `The target is not empty: ${name} has ${rows} rows. Use an empty database.`,
      );
    }
    await target.query(BEGIN_TABLE, [name, sourceName]);
  }
}

async function copy(
  table: Table,
  source: SqlSession,
  target: Database,
  onProgress: DataMigrationParts['onProgress'],
): Promise<void> {
  const insert = `INSERT INTO ${table.name} (${listOf(table.columns.keys())})
    SELECT * FROM json_to_recordset($1::json) AS row(${definitionOf(table, table.columns.keys())})`;
  const [progress] = await target.query<{ copied: bigint; lastKey: string | null }>(PROGRESS, [table.name]);
  let copied = Number(progress!.copied);
  for await (const rows of batchesOf(table, source, parseKey(table, progress!.lastKey))) {
    copied += rows.length;
    await target.run(async (transaction: Transaction) => {
      const session = target.session(transaction);
      await session.query(insert, [toJson(rows)]);
      await session.query(NOTE_PROGRESS, [table.name, BigInt(copied), toJson(keyOf(table, rows.at(-1)!))]);
    });
    onProgress(table.name, copied, table.total);
  }
}

async function compare(table: Table, source: SqlSession, target: Database): Promise<void> {
  const different = new DataMigrationRefused(
    `${table.name} differs between source and target, so another process has written to one of them. Empty the target and start again.`,
  );
  if ((await count(table.name, target)) !== table.total) throw different;
  const columns = [...table.columns.keys()].map((column) => `there.${column}`);
  const sameKey = table.keyColumns.map((column) => `there.${column} = here.${column}`).join(' AND ');
  const find = `SELECT ${columns.join(', ')} FROM ${table.name} AS there
    JOIN json_to_recordset($1::json) AS here(${definitionOf(table, table.keyColumns)}) ON ${sameKey}`;
  for await (const rows of batchesOf(table, source, null)) {
    const found = new Set((await target.query<Row>(find, [toJson(rows)])).map(toJson));
    if (!rows.every((row) => found.has(toJson(row)))) throw different;
  }
}

async function end(source: SqlSession, target: SqlSession): Promise<void> {
  for (const { name, seq } of await source.query<{ name: string; seq: bigint }>(LAST_IDS)) {
    if (seq > 0n) await target.query(CONTINUE_IDS, [name, seq]);
  }
  await target.query(END);
}

/** The rows after `afterKey`, in the order of their keys. */
async function* batchesOf(
  table: Table,
  source: SqlSession,
  afterKey: SqlValue[] | null,
): AsyncGenerator<Row[]> {
  const { name, columns, keyColumns, batchRows } = table;
  const keys = listOf(keyColumns);
  const select = `SELECT ${listOf(columns.keys())} FROM ${name}`;
  const order = `ORDER BY ${keys} LIMIT ${batchRows}`;
  const placeholders = keyColumns.map(() => '?').join(', ');
  for (let key = afterKey; ;) {
    const rows: Row[] = key
      ? await source.query(`${select} WHERE (${keys}) > (${placeholders}) ${order}`, key)
      : await source.query(`${select} ${order}`);
    if (rows.length === 0) return;
    yield rows;
    key = keyOf(table, rows.at(-1)!);
  }
}

function keyOf({ keyColumns }: Table, row: Row): SqlValue[] {
  return keyColumns.map((column) => row[column]!);
}

function parseKey({ keyColumns, integerColumns }: Table, json: string | null): SqlValue[] | null {
  if (json === null) return null;
  const values = JSON.parse(json) as string[];
  return values.map((value, index) => (integerColumns.has(keyColumns[index]!) ? BigInt(value) : value));
}

function listOf(columns: Iterable<string>): string {
  return [...columns].join(', ');
}

/** The column definitions with which PostgreSQL reads the JSON. */
function definitionOf({ columns }: Table, names: Iterable<string>): string {
  return listOf([...names].map((name) => `${name} ${columns.get(name)}`));
}

/** Writes every number, boolean and byte as text, which PostgreSQL reads exactly, and which is the same on both sides. */
function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, inner: unknown) {
    // A Buffer has a JSON of its own, which is in `inner`.
    const stored = this[name];
    if (Buffer.isBuffer(stored)) return `\\x${stored.toString('hex')}`;
    if (typeof inner === 'boolean') return inner ? '1' : '0';
    return typeof inner === 'bigint' || typeof inner === 'number' ? String(inner) : inner;
  });
}
