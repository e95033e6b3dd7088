import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteConnection from 'better-sqlite3';
import { ConnectionLost, KeyLine } from '../../cluster/line.js';
import { insertKey, KEY_PER_DAY } from '../../support/insert-key.js';
import { Random } from '../../support/random.js';
import { ServerProcess } from '../../support/server-process.js';
import { type RoundResult } from '../round.js';
import { type Addition, losses, type StoredAnimal } from './check.js';

const WRITERS = 6;
/** How many additions end before a fault, and after it. */
const BETWEEN = { least: 30, most: 150 };
const MAX_WAIT_MS = 10_000;
/** Of a writer whose addition has failed. */
const DELAY_MS = 5;

interface FileFault {
  readonly name: string;
  /** Whether it takes away what was stored. */
  readonly cuts: boolean;
  /** What happens some additions earlier. */
  readonly before?: (log: string) => void;
  readonly happen: (log: string, random: Random) => void;
}

const FILE_FAULTS: readonly FileFault[] = [
  { name: 'the server is killed', cuts: false, happen: () => undefined },
  {
    name: 'the write-ahead log is cut somewhere',
    cuts: true,
    happen: (log, random) => truncateSync(log, random.between(0, Math.max(0, statSync(log).size - 1))),
  },
  { name: 'the write-ahead log is cut to nothing', cuts: true, happen: (log) => truncateSync(log, 0) },
  {
    name: 'the write-ahead log is overwritten with an older copy',
    cuts: true,
    before: (log) => copyFileSync(log, `${log}.old`),
    happen: (log) => copyFileSync(`${log}.old`, log),
  },
];

/**
 * Adds animals to a server on SQLite while its files are damaged, kills it, and checks what the next start has: all
 * that was acknowledged, but for what a cut has taken away. After a cut nothing may be acknowledged that is not there.
 */
export async function roundOfFiles(seed: number, faults = FILE_FAULTS.length): Promise<RoundResult> {
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  const random = new Random(seed, 'faults of files');
  const findings: string[] = [];
  const facts: string[] = [];
  let server = await ServerProcess.start({ folder });
  try {
    const file = join(folder, 'data/animal-store.db');
    const key = await newKey(file);
    let additions: Addition[] = [];
    for (let left = [...FILE_FAULTS]; left.length > FILE_FAULTS.length - faults;) {
      const [fault] = left.splice(random.between(0, left.length - 1), 1);
      const writers = new Writers(server.port, key, `${left.length}`);
      await writers.additions(random.between(BETWEEN.least, BETWEEN.most));
      fault!.before?.(`${file}-wal`);
      await writers.additions(random.between(BETWEEN.least, BETWEEN.most));
      fault!.happen(`${file}-wal`, random);
      const cutMs = fault!.cuts ? performance.now() : undefined;
      await writers.additions(random.between(BETWEEN.least, BETWEEN.most));
      await server.stop('SIGKILL');
      additions.push(...(await writers.end()));
      server = await ServerProcess.start({ folder });

      const stored = await server.animals(key);
      findings.push(...losses(additions, stored, cutMs).map((loss) => `${fault!.name}: ${loss}`));
      const lost = additions.filter(({ id }) => id !== null).length - stored.length;
      facts.push(`${fault!.name}: ${stored.length} animals are there, ${Math.max(0, lost)} were cut away`);
      additions = stored.map(({ id, name }) => ({ id, name, invokedMs: -Infinity }));
    }
  } catch (error) {
    findings.push(`The round failed: ${(error as Error).stack}`);
  }
  await server.stop('SIGKILL');
  rmSync(folder, { recursive: true });
  return { findings, facts };
}

async function newKey(file: string): Promise<string> {
  const database = new SqliteConnection(file);
  const { key } = await insertKey((sql) => database.exec(sql), KEY_PER_DAY);
  // No cut of the log takes it away.
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return key;
}

/** Clients that add one animal after another. */
class Writers {
  private readonly all: Addition[] = [];
  private endedCount = 0;
  private isOver = false;
  private readonly running: Promise<void>[];

  constructor(
    private readonly port: number,
    private readonly key: string,
    private readonly prefix: string,
  ) {
    this.running = Array.from({ length: WRITERS }, (_, index) => this.run(index));
  }

  /** Resolves when so many more have ended, with whatever outcome. */
  async additions(count: number): Promise<void> {
    const until = this.endedCount + count;
    for (const deadlineMs = performance.now() + MAX_WAIT_MS; this.endedCount < until; await delay(1))
      if (performance.now() > deadlineMs) throw new Error('The writers got no responses.');
  }

  async end(): Promise<readonly Addition[]> {
    this.isOver = true;
    await Promise.all(this.running);
    return this.all;
  }

  private async run(index: number): Promise<void> {
    const line = new KeyLine(this.key);
    for (let count = 0; !this.isOver; count++) {
      const name = `${this.prefix}-${index}-${count}`;
      const invokedMs = performance.now();
      const id = await this.add(line, name);
      this.all.push({ name, invokedMs, id });
      this.endedCount++;
      if (id === null) await delay(DELAY_MS);
    }
    line.close();
  }

  private async add(line: KeyLine, name: string): Promise<number | null> {
    try {
      const body = { name, categoryId: 1 };
      const sent = { method: 'POST', path: '/v1/pets', body, headers: {} };
      const response = await line.send(this.port, sent);
      return response.status === 201 ? (response.body as StoredAnimal).id : null;
    } catch (error) {
      if (error instanceof ConnectionLost) return null;
      throw error;
    }
  }
}
