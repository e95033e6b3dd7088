import { DataSource, type EntityMetadata } from 'typeorm';
import { openDatabase } from './platform/database/data-source.js';
import {
  describeOnPostgres,
  temporaryPostgresSettings,
  temporarySqlite,
} from './platform/database/testing/temporary-database.js';
import { tables } from './tables.js';

const entities = tables.flatMap(({ records }) => records);

describeOnPostgres('the migrations on PostgreSQL', () => {
  it('create the tables that the records declare', async () => {
    const settings = await temporaryPostgresSettings();
    const database = await openDatabase(settings, tables);
    await database.close();

    const dataSource = await new DataSource({ type: 'postgres', url: settings.url, entities }).initialize();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();

    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });
});

// TypeORM cannot compare strict tables with the records, so this test compares the columns and indexes one by one.
describe('the migrations on SQLite', () => {
  const SQLITE_TYPES: Record<string, string> = {
    bigint: 'INTEGER',
    integer: 'INTEGER',
    boolean: 'INTEGER',
    text: 'TEXT',
  };
  const TABLES =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  const COLUMNS = 'SELECT name, type, "notnull", pk > 0 AS "isKey" FROM pragma_table_info($1)';
  const INDEXES = `SELECT list.name, list."unique", group_concat(info.name) AS columns
    FROM pragma_index_list($1) AS list, pragma_index_info(list.name) AS info
    WHERE list.origin = 'c' GROUP BY list.name`;

  it('create the tables that the records declare', async () => {
    const { database, remove } = await temporarySqlite(...tables);
    const dataSource = new DataSource({ type: 'better-sqlite3', database: ':memory:', entities });
    await dataSource.initialize();
    const records = dataSource.entityMetadatas;
    const made: Record<string, unknown> = {};
    for (const { name } of await database.query<{ name: string }>(TABLES)) {
      if (name === 'migrations') continue;
      made[name] = {
        columns: byName(await database.query(COLUMNS, [name])),
        indexes: byName(await database.query(INDEXES, [name])),
      };
    }
    await dataSource.destroy();
    await remove();

    expect(made).toEqual(Object.fromEntries(records.map((record) => [record.tableName, tableOf(record)])));
  });

  function tableOf({ columns, indices }: EntityMetadata) {
    return {
      columns: byName(
        columns.map(({ databaseName, type, isNullable, isPrimary }) => ({
          name: databaseName,
          type: SQLITE_TYPES[type as string],
          notnull: isNullable ? 0n : 1n,
          isKey: isPrimary ? 1n : 0n,
        })),
      ),
      indexes: byName(
        indices.map(({ name, isUnique, columns }) => ({
          name,
          unique: isUnique ? 1n : 0n,
          columns: columns.map(({ databaseName }) => databaseName).join(','),
        })),
      ),
    };
  }

  function byName(rows: readonly { name: string }[]) {
    return Object.fromEntries(rows.map((row) => [row.name, row]));
  }
});
