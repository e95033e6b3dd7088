import { constants, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { generateApiKey, hashApiKey } from '#libs/api-keys';
import { loadSettings } from '../src/platform/config/settings.js';
import { openDatabase } from '../src/platform/database/data-source.js';
import { encodeCursor } from '../src/platform/http/cursor.js';
import { tables } from '../src/tables.js';

export interface DataSize {
  readonly animals: number;
  /** Enterprise keys whose limits no run can reach. */
  readonly keys: number;
  /** Whether every animal can be ordered; otherwise a third of them can. */
  readonly allAvailable?: boolean;
}

/** A database to copy and what to ask of it, one thing a line. */
export interface DataSet extends DataSize {
  readonly file: string;
  readonly keysFile: string;
  readonly cursorsFile: string;
  readonly idsFile: string;
  /** One of the keys. */
  readonly key: string;
  /** A key on the Free plan, for limits that are reached. */
  readonly freeKey: string;
}

export interface KeyRow {
  readonly id: string;
  readonly hash: string;
  readonly plan: 'enterprise' | 'free';
}

export const HUGE_LIMIT = 1_000_000_000;
export const STATUSES = ['available', 'pending', 'sold'] as const;
/** Enough that no cache of a server holds the pages, few enough to be made in a moment. */
const MAX_LINES = 100_000;

/** Makes each data set once: the tables by the service's own migrations, the rows in bulk. */
export class DataSets {
  private readonly made = new Map<string, Promise<DataSet>>();

  constructor(private readonly folder: string) {}

  of(size: DataSize): Promise<DataSet> {
    const name = `${size.animals}-animals-${size.keys}-keys${size.allAvailable ? '-available' : ''}`;
    let made = this.made.get(name);
    if (!made) this.made.set(name, (made = this.make(name, size)));
    return made;
  }

  /** A copy of its own for one server. */
  copy({ file }: DataSet, name: string): string {
    const copy = join(this.folder, `${name}.db`);
    // Of a server that ended without closing it: SQLite would write them into the fresh copy.
    for (const suffix of ['-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true });
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    return copy;
  }

  private async make(name: string, size: DataSize): Promise<DataSet> {
    const { texts, rows } = makeKeys(size.keys);
    const file = join(this.folder, `${name}.db`);
    const { database: settings } = loadSettings({ DATABASE_URL: `sqlite:${file}` });
    await (await openDatabase(settings, tables)).close();
    const database = new Sqlite(file);
    database.pragma('synchronous = OFF');
    database.transaction(() => {
      const addAnimal = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
      for (let id = 1; id <= size.animals; id++) addAnimal.run(...animalValues(id, size));
      const addKey = database.prepare(
        `INSERT INTO api_keys (id, hash, name, account, plan, per_minute, per_day, created_at)
         VALUES (?, ?, 'bench', ?, ?, ?, ?, ?)`,
      );
      for (const { id, hash, plan } of rows) {
        const limit = plan === 'enterprise' ? HUGE_LIMIT : null;
        addKey.run(id, hash, id, plan, limit, limit, Date.now());
      }
    })();
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();

    return { ...size, file, ...this.lines(name, size, texts), key: texts[0]!, freeKey: texts.at(-1)! };
  }

  private lines(
    name: string,
    { animals, keys }: DataSize,
    texts: readonly string[],
  ): Pick<DataSet, 'keysFile' | 'cursorsFile' | 'idsFile'> {
    const write = (kind: string, lines: readonly unknown[]) => {
      const file = join(this.folder, `${name}.${kind}`);
      writeFileSync(file, `${lines.join('\n')}\n`);
      return file;
    };
    const ids = shuffled(Array.from({ length: Math.min(animals, MAX_LINES) }, (_, index) => index + 1));
    // Spread over the whole table, and never so close to its end that a page is short.
    const spread = Math.max(1, Math.floor((animals - 100) / ids.length));
    const list = { path: '/v1/pets', filters: { status: undefined } };
    const cursors = ids.map((id) => encodeCursor(list, { id: BigInt(Math.min(id * spread, animals - 100)) }));
    return {
      keysFile: write('keys', texts.slice(0, keys)),
      cursorsFile: write('cursors', cursors),
      idsFile: write(
        'ids',
        ids.map((id) => Math.min(id * spread, animals)),
      ),
    };
  }
}

/** `count` keys and, last, one on the Free plan. */
function makeKeys(count: number): { texts: string[]; rows: KeyRow[] } {
  const texts = Array.from({ length: count + 1 }, () => generateApiKey('ask_live_'));
  const rows = texts.map((text, index) => ({
    id: `key_${String(index).padStart(16, '0')}`,
    hash: hashApiKey(text),
    plan: index < count ? ('enterprise' as const) : ('free' as const),
  }));
  return { texts, rows };
}

export function animalValues(
  id: number,
  { allAvailable }: DataSize,
): [name: string, category: number, status: string] {
  return [`Rex ${id}`, (id % 50) + 1, allAvailable ? 'available' : STATUSES[id % 3]!];
}

/** The keys of a data set as they are stored, for another database. */
export function storedKeys({ file }: DataSet): KeyRow[] {
  const database = new Sqlite(file, { readonly: true });
  const rows = database.prepare('SELECT id, hash, plan FROM api_keys').all() as KeyRow[];
  database.close();
  return rows;
}

export function firstLines(file: string, count: number): string[] {
  return readFileSync(file, 'utf8').split('\n', count);
}

/** The same order in every run: a linear congruential generator, modulus 2^31. */
function shuffled<T>(items: T[]): T[] {
  let random = 12_345;
  for (let i = items.length - 1; i > 0; i--) {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    const other = random % (i + 1);
    [items[i], items[other]] = [items[other]!, items[i]!];
  }
  return items;
}
