import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { insertKey } from '../support/insert-key.js';
import { ServerProcess, within } from '../support/server-process.js';

const NOTICED_WITHIN_MS = 5_000;

interface Animal {
  readonly id: number;
  readonly name: string;
}

/** As another program does it that opens the file. */
function checkpoint(file: string): void {
  const connection = new SqliteConnection(file);
  expect(connection.pragma('wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }]);
  connection.close();
}

// The specs beside the code have all kinds of damage.
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
    checkpoint(file);
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

  /** Whether it stores nothing more, and says so. */
  async function hasStopped(): Promise<void> {
    expect(await add(6)).toEqual([]);
    const isReady = async () => (await server.get('/health/ready')).ok;
    await within(NOTICED_WITHIN_MS, async () => !(await isReady()));
  }

  it.each<[string, (log: string) => void, (log: string) => void]>([
    ['is cut', () => undefined, (log) => truncateSync(log, 5_000)],
    [
      'is overwritten with an older copy',
      (log) => copyFileSync(log, `${log}.old`),
      (log) => copyFileSync(`${log}.old`, log),
    ],
  ])(
    'acknowledges nothing more when its log %s, and starts with what was there before',
    async (_, before, happens) => {
      const log = `${file}-wal`;
      await add(30);
      before(log);
      await add(10);
      happens(log);
      await hasStopped();
      await server.stop('SIGKILL');
      server = await ServerProcess.start({ folder });

      const response = await server.get('/v1/pets?limit=100', key);
      const ids = ((await response.json()) as Animal[]).map(({ id }) => id);
      expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => index + 1));
      expect(await add(1)).toEqual([ids.length + 1]);
    },
  );

  it('acknowledges nothing more when its file loses its last page', async () => {
    await add(30);
    checkpoint(file);
    await add(10);
    truncateSync(file, statSync(file).size - 4_096);
    await hasStopped();
  });
});
