import { DataSource, type EntityMetadata } from 'typeorm';
import { openDatabase } from '@animal-store/database';
import {
  describeOnPostgres,
  temporaryPostgresOptions,
  temporarySqlite,
} from '@animal-store/database/testing';
import { tables } from './contexts.js';

const DROPS_INDEX_OR_CHECK = /^(DROP INDEX|ALTER TABLE "\w+" DROP CONSTRAINT "\w+check")/;

const entities = tables.flatMap(({ records }) => records);

describeOnPostgres('the migrations on PostgreSQL', () => {
  it('create the tables that the records declare', async () => {
    const settings = await temporaryPostgresOptions();
    const database = await openDatabase(settings, tables);
    await database.close();

    const dataSource = await new DataSource({ type: 'postgres', url: settings.url, entities }).initialize();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();

    // Indexes and checks are in the migrations alone.
    const changes = upQueries.map(({ query }) => query).filter((query) => !DROPS_INDEX_OR_CHECK.test(query));
    expect(changes).toEqual([]);
  });
});

// TypeORM cannot compare strict tables with the records, so this test compares the columns one by one.
describe('the migrations on SQLite', () => {
  const SQLITE_TYPES: Record<string, string> = {
    bigint: 'INTEGER',
    integer: 'INTEGER',
    boolean: 'INTEGER',
    text: 'TEXT',
    'simple-json': 'TEXT',
    bytea: 'BLOB',
    // TypeORM's own, of a column without a type.
    varchar: 'TEXT',
  };
  const TABLES =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  const COLUMNS = 'SELECT name, type, "notnull", pk > 0 AS "isKey" FROM pragma_table_info(?)';
  it('create the tables that the records declare', async () => {
    const { database, remove } = await temporarySqlite(...tables);
    const dataSource = new DataSource({ type: 'better-sqlite3', database: ':memory:', entities });
    // As the database of the service has it.
    dataSource.driver.supportedDataTypes.push('bytea');
    await dataSource.initialize();
    const records = dataSource.entityMetadatas;
    const made: Record<string, unknown> = {};
    for (const { name } of await database.query<{ name: string }>(TABLES)) {
      if (name === 'migrations') continue;
      const columns = await database.query<{ name: string; type: string }>(COLUMNS, [name]);
      // TypeORM's own names of types, where a table is not strict.
      made[name] = byName(columns.map((one) => ({ ...one, type: SQLITE_TYPES[one.type] ?? one.type })));
    }
    await dataSource.destroy();
    await remove();

    expect(made).toEqual(Object.fromEntries(records.map((record) => [record.tableName, tableOf(record)])));
  });

  function tableOf({ columns, connection }: EntityMetadata) {
    return byName(
      columns.map(({ databaseName, type, isNullable, isPrimary }) => ({
        name: databaseName,
        type: SQLITE_TYPES[connection.driver.normalizeType({ type })] ?? type,
        notnull: isNullable ? 0n : 1n,
        isKey: isPrimary ? 1n : 0n,
      })),
    );
  }

  function byName(rows: readonly { name: string }[]) {
    return Object.fromEntries(rows.map((row) => [row.name, row]));
  }
});
