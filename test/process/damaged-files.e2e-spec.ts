import { copyFileSync, mkdtempSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { insertKey } from '../support/insert-key.js';
import { ServerProcess, within } from '../support/server-process.js';

const HEADER_BYTES = 32;
const NOTICED_WITHIN_MS = 5_000;
const FRAME_BYTES = 24 + 4_096;

interface Animal {
  readonly id: number;
  readonly name: string;
}

/** What happens to the files of a running server, in two steps, between which it adds animals. */
interface Damage {
  before?(file: string, log: string): void;
  happens(file: string, log: string): void;
}

const cutLog = (bytesOf: (bytes: number) => number): Damage => ({
  happens: (_, log) => truncateSync(log, bytesOf(statSync(log).size)),
});

const cutFile = (bytesOf: (bytes: number) => number): Damage => ({
  before: checkpoint('TRUNCATE'),
  happens: (file) => truncateSync(file, bytesOf(statSync(file).size)),
});

/** As another program does it that opens the file. */
function checkpoint(mode: 'RESTART' | 'TRUNCATE'): (file: string) => void {
  return (file) => {
    const connection = new SqliteConnection(file);
    expect(connection.pragma(`wal_checkpoint(${mode})`)).toMatchObject([{ busy: 0 }]);
    connection.close();
  };
}

const OF_THE_LOG: Record<string, Damage> = {
  'its log is cut to nothing': cutLog(() => 0),
  'its log is cut to its header': cutLog(() => HEADER_BYTES),
  'its log is cut to 5,000 bytes': cutLog(() => 5_000),
  'its log is cut to three quarters': cutLog((bytes) => Math.floor(bytes * 0.75)),
  'its log loses its last frame': cutLog((bytes) => bytes - FRAME_BYTES),
  'its log loses its last byte': cutLog((bytes) => bytes - 1),
  'its log is cut, and as long as before': {
    happens: (_, log) => {
      const { size } = statSync(log);
      truncateSync(log, 5_000);
      truncateSync(log, size);
    },
  },
  'its log is overwritten with an older copy': {
    before: (_, log) => copyFileSync(log, `${log}.old`),
    happens: (_, log) => copyFileSync(`${log}.old`, log),
  },
  'its log is overwritten with a longer copy from before a checkpoint': {
    before(file, log) {
      copyFileSync(log, `${log}.old`);
      checkpoint('RESTART')(file);
    },
    happens: (_, log) => copyFileSync(`${log}.old`, log),
  },
  'an older copy of its log is put in its place': {
    before: (_, log) => copyFileSync(log, `${log}.old`),
    happens: (_, log) => renameSync(`${log}.old`, log),
  },
  'the index of its log is deleted': {
    happens: (file) => rmSync(`${file}-shm`),
  },
};

const OF_THE_FILE: Record<string, Damage> = {
  'its file is cut to nothing': cutFile(() => 0),
  'its file is cut to a page': cutFile(() => 4_096),
  'its file loses its last page': cutFile((bytes) => bytes - 4_096),
  'its file loses its last byte': cutFile((bytes) => bytes - 1),
};

describe('A server on SQLite', () => {
  let folder: string;
  let file: string;
  let key: string;
  let server: ServerProcess;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
    file = join(folder, 'data/animal-store.db');
    server = await ServerProcess.start({ folder });
    const database = new SqliteConnection(file);
    ({ key } = await insertKey((sql) => database.exec(sql), 1_000_000));
    database.close();
    checkpoint('TRUNCATE')(file);
  });

  afterEach(async () => {
    await server.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Adds animals one after another. @returns the ids of those with a 201 */
  async function add(count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let index = 0; index < count; index++) {
      const response = await fetch(`http://127.0.0.1:${server.port}/v1/pets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: '{"name":"Rex","categoryId":7}',
      });
      const { id } = (await response.json()) as Animal;
      expect([201, 503]).toContain(response.status);
      if (response.status === 201) ids.push(id);
    }
    return ids;
  }

  async function addAndDamage({ before, happens }: Damage): Promise<void> {
    const log = `${file}-wal`;
    await add(30);
    before?.(file, log);
    await add(10);
    happens(file, log);
  }

  /** Whether it stores nothing more, and says so. */
  async function hasStopped(): Promise<void> {
    expect(await add(6)).toEqual([]);
    const isReady = async () => (await server.get('/health/ready')).ok;
    await within(NOTICED_WITHIN_MS, async () => !(await isReady()));
  }

  it.each(Object.keys(OF_THE_LOG))(
    'acknowledges nothing more when %s, and starts with what was there before',
    async (name) => {
      await addAndDamage(OF_THE_LOG[name]!);
      await hasStopped();
      await server.stop('SIGKILL');
      server = await ServerProcess.start({ folder });

      const response = await server.get('/v1/pets?limit=100', key);
      const ids = ((await response.json()) as Animal[]).map(({ id }) => id);
      expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => index + 1));
      expect(await add(1)).toEqual([ids.length + 1]);
    },
  );

  it.each(Object.keys(OF_THE_FILE))('acknowledges nothing more when %s', async (name) => {
    await addAndDamage(OF_THE_FILE[name]!);
    await hasStopped();
  });
});
