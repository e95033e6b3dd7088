import type { Database } from '../database.js';
import type { SqlSession, SqlValue } from '../sql-session.js';

export interface DataMigrationParts {
  /** The SQLite database. It is locked while its rows are moved. */
  readonly source: Database;
  /** The PostgreSQL database: the same tables, all empty. */
  readonly target: Database;
  /** Called after each batch. An error that it throws ends the run, and nothing is stored. */
  readonly onProgress: (table: string, copied: number, total: number) => void;
}

type Row = Record<string, SqlValue>;

interface Table {
  readonly name: string;
  /** The columns with their types: those of SQLite, then those of PostgreSQL. */
  readonly columns: ReadonlyMap<string, string>;
  readonly keyColumns: readonly string[];
  /** How many rows are moved at a time. */
  readonly batchRows: number;
  readonly total: number;
}

const BATCH_ROWS = 1_000;
/** The batch of a table with bytes, whose rows may have megabytes. */
const LARGE_BATCH_ROWS = 10;
/** An idle transaction is rolled back after three seconds. */
const AWAKE_EVERY_MS = 1_000;

const TABLES = `SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite#_%' ESCAPE '#' AND name <> 'migrations' ORDER BY name`;
const COLUMNS = 'SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid';
const TARGET_COLUMNS = `SELECT attname AS name, format_type(atttypid, atttypmod) AS type
  FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`;
const LAST_IDS = 'SELECT name, seq FROM sqlite_sequence';

/** Continues the ids after the highest one ever used, even if its row was deleted. */
const CONTINUE_IDS = `SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`;

/**
 * Moves all rows from a SQLite database to PostgreSQL and returns their number. It is one transaction on both sides, so
 * the target has all rows or, however the run ends, none. Before it is committed, every row is compared.
 * @throws Error when the target is not empty, or differs from the source at the end.
 * @throws StorageUnavailable when a database does not respond, or another process writes to the source.
 */
export function migrateData({ source, target, onProgress }: DataMigrationParts): Promise<number> {
  return source.run(async (reading) => {
    const from = source.session(reading);
    // Before the transaction of the target begins, which may not be idle for as long as counting takes.
    const found = await tablesOf(from);
    // Nor may that of the source, and PostgreSQL may take long for a step.
    const awake = setInterval(() => void from.query('SELECT 1').catch(() => undefined), AWAKE_EVERY_MS);
    const moving = target.run(async (writing) => {
      const to = target.session(writing);
      await requireEmpty(found, to);
      const tables = await Promise.all(found.map((table) => withTypes(table, to)));
      for (const table of tables) await copy(table, from, to, onProgress);
      for (const table of tables) await compare(table, from, to);
      await continueIds(from, to);
    });
    await moving.finally(() => clearInterval(awake));
    return found.reduce((sum, { total }) => sum + total, 0);
  });
}

async function tablesOf(source: SqlSession): Promise<Table[]> {
  const tables: Table[] = [];
  for (const { name } of await source.query<{ name: string }>(TABLES)) {
    const columns = await source.query<{ name: string; type: string; pk: bigint }>(COLUMNS, [name]);
    tables.push({
      name,
      columns: new Map(columns.map((column) => [column.name, column.type])),
      keyColumns: columns
        .filter(({ pk }) => pk > 0n)
        .sort((a, b) => Number(a.pk - b.pk))
        .map((column) => column.name),
      batchRows: columns.some(({ type }) => type === 'BLOB') ? LARGE_BATCH_ROWS : BATCH_ROWS,
      total: await count(name, source),
    });
  }
  return tables;
}

/** The table with the types that its columns have on PostgreSQL. */
async function withTypes(table: Table, target: SqlSession): Promise<Table> {
  const found = await target.query<{ name: string; type: string }>(TARGET_COLUMNS, [table.name]);
  const types = new Map(found.map(({ name, type }) => [name, type]));
  return { ...table, columns: new Map([...table.columns.keys()].map((name) => [name, types.get(name)!])) };
}

async function count(table: string, session: SqlSession): Promise<number> {
  const [row] = await session.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${table}`);
  return Number(row!.count);
}

/** No other process writes to the tables from here on. */
async function requireEmpty(tables: readonly Table[], target: SqlSession): Promise<void> {
  await target.query(`LOCK TABLE ${listOf(tables.map(({ name }) => name))} IN EXCLUSIVE MODE`);
  for (const { name } of tables) {
    const rows = await count(name, target);
    if (rows === 0) continue;
    throw new Error(`The target is not empty: ${name} has ${rows} rows. Use an empty database.`);
  }
}

async function copy(
  table: Table,
  source: SqlSession,
  target: SqlSession,
  onProgress: DataMigrationParts['onProgress'],
): Promise<void> {
  const insert = `INSERT INTO ${table.name} (${listOf(table.columns.keys())})
    SELECT * FROM json_to_recordset($1::json) AS row(${definitionOf(table, table.columns.keys())})`;
  let copied = 0;
  for await (const rows of batchesOf(table, source)) {
    await target.query(insert, [toJson(rows)]);
    copied += rows.length;
    onProgress(table.name, copied, table.total);
  }
}

async function compare(table: Table, source: SqlSession, target: SqlSession): Promise<void> {
  const different = new Error(`${table.name} would differ between source and target, so nothing was moved.`);
  if ((await count(table.name, target)) !== table.total) throw different;
  const columns = [...table.columns.keys()].map((column) => `there.${column}`);
  const sameKey = table.keyColumns.map((column) => `there.${column} = here.${column}`).join(' AND ');
  const find = `SELECT ${columns.join(', ')} FROM ${table.name} AS there
    JOIN json_to_recordset($1::json) AS here(${definitionOf(table, table.keyColumns)}) ON ${sameKey}`;
  for await (const rows of batchesOf(table, source)) {
    const found = new Set((await target.query<Row>(find, [toJson(rows)])).map(toJson));
    if (!rows.every((row) => found.has(toJson(row)))) throw different;
  }
}

async function continueIds(source: SqlSession, target: SqlSession): Promise<void> {
  for (const { name, seq } of await source.query<{ name: string; seq: bigint }>(LAST_IDS))
    if (seq > 0n) await target.query(CONTINUE_IDS, [name, seq]);
}

/** The rows in the order of their keys. */
async function* batchesOf(table: Table, source: SqlSession): AsyncGenerator<Row[]> {
  const { name, columns, keyColumns, batchRows } = table;
  const keys = listOf(keyColumns);
  const select = `SELECT ${listOf(columns.keys())} FROM ${name}`;
  const order = `ORDER BY ${keys} LIMIT ${batchRows}`;
  const placeholders = keyColumns.map(() => '?').join(', ');
  for (let key: SqlValue[] | null = null; ;) {
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

function listOf(columns: Iterable<string>): string {
  return [...columns].join(', ');
}

/** The column definitions with which PostgreSQL reads the JSON. */
function definitionOf({ columns }: Table, names: Iterable<string>): string {
  return listOf([...names].map((name) => `${name} ${columns.get(name)}`));
}

/** Writes numbers, booleans and bytes as text, which PostgreSQL reads exactly, and which both sides compare. */
function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, inner: unknown) {
    // A Buffer has a JSON of its own, which is in `inner`.
    const stored = this[name];
    if (Buffer.isBuffer(stored)) return `\\x${stored.toString('hex')}`;
    if (typeof inner === 'boolean') return inner ? '1' : '0';
    return typeof inner === 'bigint' || typeof inner === 'number' ? String(inner) : inner;
  });
}
