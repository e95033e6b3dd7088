import fc from 'fast-check';
import pg from 'pg';
import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { openDatabase } from '../data-source.js';
import type { Database } from '../database.js';
import {
  describeOnPostgres,
  temporaryPostgresSettings,
  temporarySqlite,
} from '../testing/temporary-database.js';

@Entity({ name: 'toys' })
class ToyRecord {
  @PrimaryColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', nullable: true })
  maker: string | null;
}

class CreateToys1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE toys (id bigint PRIMARY KEY, name text NOT NULL, maker text)');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

const tables = { records: [ToyRecord], migrations: [CreateToys1795000000000] };

describeOnPostgres('The validators of a list', () => {
  let database: Database;
  let client: pg.Client;

  beforeAll(async () => {
    const settings = await temporaryPostgresSettings();
    database = await openDatabase(settings, [tables]);
    client = new pg.Client({ connectionString: settings.url });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await database.close();
  });

  it('are equal for equal pages, and differ for different ones, whatever the rows contain', async () => {
    const list = database.statements(ToyRecord, 'toy').validatedList((toy) => toy);
    const request = { limit: 2, after: null };
    const text = fc.string({
      unit: fc.constantFrom('a', ',', '(', ')', '"', '\\', ' ', '\n', '\u001f'),
      maxLength: 4,
    });
    const rows = fc.uniqueArray(fc.record({ id: fc.bigInt(1n, 4n), name: text, maker: fc.option(text) }), {
      selector: ({ id }) => id,
      maxLength: 4,
    });
    const read = async (given: ToyRecord[]) => {
      await client.query('TRUNCATE toys');
      for (const { id, name, maker } of given)
        await client.query('INSERT INTO toys VALUES ($1, $2, $3)', [id, name, maker]);
      const validator = await list.getValidator({}, request);
      const validated = await list.getPage({}, request);
      expect(validated.validator).toBe(validator);
      return { validator, page: validated.page };
    };
    // What tells two pages apart: the rows up to the one that only shows that there is a next page.
    const contentOf = (given: ToyRecord[]) =>
      JSON.stringify(
        given
          .toSorted((one, other) => Number(one.id - other.id))
          .slice(0, 3)
          .map(({ id, name, maker }) => [`${id}`, name, maker]),
      );

    await fc.assert(
      fc.asyncProperty(rows, rows, async (some, others) => {
        const one = await read(some);
        const other = await read(others);
        expect(one.validator === other.validator).toBe(contentOf(some) === contentOf(others));
        expect(one.page.items.map(({ id }) => id)).toEqual(
          some
            .map(({ id }) => id)
            .toSorted((before, after) => Number(before - after))
            .slice(0, 2),
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe('The validators of a list on SQLite', () => {
  it('are refused when the list is created', async () => {
    const { database, remove } = await temporarySqlite(tables);

    expect(() => database.statements(ToyRecord, 'toy').validatedList((toy) => toy)).toThrow(
      'Only PostgreSQL makes validators, and only of the columns of a record.',
    );
    await remove();
  });
});
