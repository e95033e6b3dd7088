import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import type { OpeningOptions, PostgresOptions, SqliteOptions } from '../opening/database-options.js';
import { openDatabase, type Tables } from '../opening/data-source.js';
import type { Database } from '../database.js';
import { PgBouncer } from './pg-bouncer.js';
import { postgresResponds } from './postgres-server.js';
import { StatementCatalogue } from './statement-catalogue.js';

export interface TemporaryDatabase {
  readonly database: Database;
  readonly statements: StatementCatalogue;
  /** Closes the database and removes its files. */
  remove(): Promise<void>;
}

export function sqliteOptions(file: string): SqliteOptions {
  return { kind: 'sqlite', file, lockTimeoutMs: 2_000, handoverTimeoutMs: 0 };
}

/** Database files after their migrations, which take longer than most tests. */
const migratedFiles: { readonly migrations: readonly unknown[]; readonly content: Buffer }[] = [];

/** Creates the database file and opens it. Only the first one of a suite runs the migrations. */
export async function openNewSqlite(
  settings: SqliteOptions,
  tables: readonly Tables[],
  opening?: OpeningOptions,
): Promise<Database> {
  const migrations = tables.flatMap((some) => some.migrations);
  let migrated = migratedFiles.find((one) => isDeepStrictEqual(one.migrations, migrations));
  if (!migrated) {
    await (await openDatabase(settings, tables)).close();
    migrated = { migrations, content: readFileSync(settings.file) };
    migratedFiles.push(migrated);
  }
  writeFileSync(settings.file, migrated.content, { mode: 0o600 });
  return openDatabase(settings, tables, opening);
}

export async function temporarySqlite(...tables: Tables[]): Promise<TemporaryDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  const statements = new StatementCatalogue();
  const database = await openNewSqlite(sqliteOptions(join(folder, 'test.db')), tables, {
    onStatement: statements.add,
  });
  return {
    database,
    statements,
    remove: async () => {
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Options with a new, empty PostgreSQL schema, or database, on the server that the whole test run shares. Behind
 * PgBouncer it is a database, as a connection cannot choose its schema there.
 */
export async function temporaryPostgresOptions(
  place: 'SCHEMA' | 'DATABASE' = IS_POOLED ? 'DATABASE' : 'SCHEMA',
): Promise<PostgresOptions> {
  await (sharedPostgres ??= postgresResponds(SHARED_POSTGRES_URL!));
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: SHARED_POSTGRES_URL });
  await client.connect();
  await client.query(`CREATE ${place} ${name}`).finally(() => client.end());
  const url =
    place === 'DATABASE'
      ? new URL(name, SHARED_POSTGRES_URL).href
      : `${SHARED_POSTGRES_URL}?options=-c%20search_path%3D${name}`;
  return postgresAt(IS_POOLED ? (await (pooler ??= PgBouncer.start(SHARED_POSTGRES_URL!))).urlOf(url) : url);
}

/** One database, on the hosts of all these URLs. */
export function postgresAt(url: string, ...otherUrls: string[]): PostgresOptions {
  return {
    kind: 'postgres',
    url,
    otherUrls,
    poolSize: 10,
    queueSize: 2_000,
    statementTimeoutMs: 10_000,
    connectTimeoutMs: 10_000,
    migrationTimeoutMs: 10_000,
  };
}

export async function temporaryPostgres(...tables: Tables[]): Promise<TemporaryDatabase> {
  const statements = new StatementCatalogue();
  const database = await openDatabase(await temporaryPostgresOptions(), tables, {
    onStatement: statements.add,
  });
  // The schema is removed with the server, at the end of the run.
  return { database, statements, remove: () => database.close() };
}

/** A database for all tests of a `describe`: when each of them begins, it is empty, and its ids start at 1. */
export function emptyBeforeEach(
  open: (...tables: Tables[]) => Promise<TemporaryDatabase>,
  ...tables: Tables[]
): Omit<TemporaryDatabase, 'remove'> {
  let temporary: TemporaryDatabase | undefined;
  beforeAll(async () => (temporary = await open(...tables)));
  beforeEach(() => empty(temporary!.database));
  afterAll(() => temporary?.remove());
  return {
    get database() {
      return temporary!.database;
    },
    get statements() {
      return temporary!.statements;
    },
  };
}

/** What `make` makes of an SQLite database, for all tests of a `describe`: the database is empty when each begins. */
export function onEmptySqlite<Made extends object>(
  tables: Tables[],
  make: (database: Database) => Made,
): Made {
  const temporary = emptyBeforeEach(temporarySqlite, ...tables);
  const made = {} as Made;
  beforeEach(() => void Object.assign(made, make(temporary.database)));
  return made;
}

/** The youngest tables first, as they may refer to older ones. */
const EMPTY_POSTGRES = `DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT oid::regclass AS name, relkind AS kind FROM pg_class
    WHERE relnamespace = current_schema()::text::regnamespace AND relkind IN ('r', 'S') AND relname NOT LIKE 'migrations%'
    ORDER BY oid DESC
  LOOP
    IF one.kind = 'S' THEN PERFORM setval(one.name, 1, false); ELSE EXECUTE 'DELETE FROM ' || one.name; END IF;
  END LOOP; END $$`;
const SQLITE_TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'migrations' ORDER BY rowid DESC`;

function empty(database: Database): Promise<void> {
  return database.run(async (transaction) => {
    const session = database.session(transaction);
    if (database.dialect === 'postgres') return void (await session.query(EMPTY_POSTGRES));
    for (const { name } of await session.query<{ name: string }>(SQLITE_TABLES))
      await session.query(
        name === 'sqlite_sequence' ? `DELETE FROM ${name} WHERE name <> 'migrations'` : `DELETE FROM ${name}`,
      );
  });
}

/** Set by Jest's global set-up when a PostgreSQL can be started. */
const SHARED_POSTGRES_URL = process.env.TEST_POSTGRES_URL;
let sharedPostgres: Promise<void> | undefined;

/** Whether the suites of this run use PostgreSQL by way of PgBouncer. */
const IS_POOLED = process.env.TEST_POOLED === 'true';
let pooler: Promise<PgBouncer> | undefined;
if (IS_POOLED) afterAll(async () => (await pooler)?.stop());

/** The same database without a pooler, for a test that needs a session of its own. */
export function unpooled(url: string): string {
  const direct = new URL(url);
  direct.port = new URL(SHARED_POSTGRES_URL!).port;
  return direct.href;
}

/**
 * Every database that the suites can run against on this machine. A test of the conventions reports which are missing.
 */
export const databases: [string, (...tables: Tables[]) => Promise<TemporaryDatabase>][] = [
  ['SQLite', temporarySqlite],
];
if (SHARED_POSTGRES_URL) databases.push(['PostgreSQL', temporaryPostgres]);

/** A repository, and the unit of work of its database. */
export interface RepositoryUnderTest<Repository> {
  readonly repository: Repository;
  readonly unitOfWork: Database;
}

/**
 * Runs the tests of a port against every database that there is.
 * @param tests are given what makes a repository on a database that is empty when a test begins
 */
export function describeRepository<Repository>(
  Adapter: new (database: Database) => Repository,
  tables: readonly Tables[],
  tests: (open: () => RepositoryUnderTest<Repository>) => void,
): void {
  describe.each(databases)(`${Adapter.name} on %s`, (_, open) => {
    const temporary = emptyBeforeEach(open, ...tables);
    tests(() => ({ repository: new Adapter(temporary.database), unitOfWork: temporary.database }));
  });
}

/** `describe` for tests that need PostgreSQL. Programs that are no tests load this file too. */
export function describeOnPostgres(name: string, tests: () => void): void {
  if (SHARED_POSTGRES_URL) describe(name, tests);
  // Nobody needs a PostgreSQL to work here; in CI a test fails when it is missing.
  else describe.skip(`${name}: there is no PostgreSQL`, tests);
}
