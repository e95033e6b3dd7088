import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { openDatabase } from './data-source.js';
import type { Database } from '../database.js';
import { tablesOf } from '../testing/tables.js';
import { sqliteOptions } from '../testing/temporary-database.js';

@Entity()
class Kennel {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ nullable: true })
  places: number | null;
}

@Entity({ name: 'pens' })
class Pen {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'text', name: 'made_of' })
  madeOf: string;
}

@Entity()
class Unnumbered {
  @Column()
  name: string;
}

const SERVER = { name: 'the server', nowMs: Date.UTC(2026, 2, 14, 12) };

describe('Opening a SQLite database', () => {
  let folder: string;
  const opened: Database[] = [];

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'open-'))));

  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
    rmSync(folder, { recursive: true });
  });

  async function open(file: string, soleUser?: typeof SERVER): Promise<Database> {
    const database = await openDatabase(sqliteOptions(file), [], { soleUser });
    opened.push(database);
    return database;
  }

  it('creates missing folders', async () => {
    await open(join(folder, 'a/b/store.db'));

    expect(existsSync(join(folder, 'a/b/store.db'))).toBe(true);
  });

  it('creates files that only their owner may read', async () => {
    await open(join(folder, 'store.db'), SERVER);

    const modes = ['', '-wal', '-shm', '-lock'].map((suffix) => {
      const { mode } = statSync(join(folder, `store.db${suffix}`));
      return [suffix, (mode & 0o777).toString(8)];
    });
    expect(modes).toEqual([
      ['', '600'],
      ['-wal', '600'],
      ['-shm', '600'],
      ['-lock', '600'],
    ]);
  });

  it.each(['/proc/a/store.db', '/proc/store.db', '/dev/null'])(
    'fails at once for %s, where no file can be created',
    async (file) => {
      await expect(open(file)).rejects.toThrow(`The database file ${file} cannot be opened: `);
    },
  );

  it.each([
    [
      Kennel,
      `Data type "Object" in "Kennel.places" is not supported by "better-sqlite3" database. TypeScript leaves no more of "number | null": name the type, as in @Column('integer', { nullable: true }).`,
    ],
    [Unnumbered, expect.stringMatching(/^Entity "Unnumbered" does not have a primary column\./)],
  ])('says what is wrong with a record, and nothing of the file', async (record, message: string) => {
    const tables = { records: [record], migrations: [] };
    const opening = openDatabase(sqliteOptions(join(folder, 'store.db')), [tables]);
    await expect(opening).rejects.toMatchObject({ name: 'DatabaseNotOpened', message });
  });

  it('says what to do when a migration was changed after it had run', async () => {
    const file = join(folder, 'store.db');
    const migrated = tablesOf([], 'CREATE TABLE pens (id integer PRIMARY KEY)');
    opened.push(await openDatabase(sqliteOptions(file), [migrated]));

    await expect(openDatabase(sqliteOptions(file), [{ ...migrated, records: [Pen] }])).rejects.toThrow(
      `The database file ${file} cannot be opened: its table pens has no column made_of. A migration that has run here is not run again: add another one, or remove the file.`,
    );
  });

  it('names a table that no migration creates', async () => {
    const file = join(folder, 'store.db');
    await expect(openDatabase(sqliteOptions(file), [{ records: [Pen], migrations: [] }])).rejects.toThrow(
      `The database file ${file} cannot be opened: there is no table pens, as no migration creates it.`,
    );
  });

  it('refuses a second server on the file, also under another name of the file', async () => {
    const file = join(folder, 'store.db');
    await open(file, SERVER);
    symlinkSync(file, join(folder, 'link.db'));

    await expect(open(file, SERVER)).rejects.toThrow(
      /store\.db cannot be opened: it is in use by the server/,
    );
    await expect(open(join(folder, 'link.db'), SERVER)).rejects.toThrow(/it is in use by the server/);
  });

  it('lets programs other than servers use the file beside a server', async () => {
    await open(join(folder, 'store.db'), SERVER);
    const shared = await open(join(folder, 'store.db'));

    await expect(shared.check()).resolves.toBeUndefined();
  });
});
