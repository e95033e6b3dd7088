import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { PostgresServer } from '@animal-store/database/testing';
import { insertKey, KEY_PER_DAY } from '../../support/insert-key.js';
import { Random } from '../../support/random.js';
import { ServerProcess, within } from '../../support/server-process.js';
import { type RoundResult } from '../round.js';
import { losses, type StoredAnimal } from './check.js';

/** Twenty batches of a move, so it can be killed between any two of them. */
const ANIMALS = 20_000;
/** Far more than a busy machine needs. */
const MOVES_WITHIN_MS = 60_000;

/**
 * Moves a store to PostgreSQL with a command that is killed again and again. Until the move is done the target has
 * nothing. In the end it has what the source had.
 */
export async function roundOfMoves(seed: number, kills = 3): Promise<RoundResult> {
  const folder = mkdtempSync(join(tmpdir(), 'moves-'));
  const random = new Random(seed, 'kills of moves');
  const findings: string[] = [];
  const facts: string[] = [];
  const postgres = await PostgresServer.start();
  try {
    const { key, animals } = await fill(folder);
    const environment = { DATABASE_URL: postgres.url };
    const start = () => ServerProcess.start({ folder, environment });
    for (let count = 0; count < kills; count++) {
      const move = begin(folder, postgres.url);
      const killedAt = random.between(1, ANIMALS);
      await Promise.race([within(MOVES_WITHIN_MS, () => move.copied() >= killedAt), move.ended]);
      move.process.kill('SIGKILL');
      await move.ended;
      const stored = await storedIn(postgres.url);
      facts.push(`a move is killed ${stored.length === 0 ? 'before' : 'after'} its end`);
      if (![0, ANIMALS].includes(stored.length))
        findings.push(`A move that was killed has left ${stored.length} animals.`);
    }
    const last = begin(folder, postgres.url);
    await last.ended;
    // All of it was moved when the last one that was killed had ended.
    if (last.process.exitCode !== 0 && !/The target is not empty/.test(last.said()))
      findings.push(`The last move ended with ${last.process.exitCode}: ${last.said()}`);
    const server = await start();
    const added = await addTo(server, key);
    await server.stop();
    const stored = await storedIn(postgres.url);
    facts.push(`${stored.length} animals are moved`);
    findings.push(
      ...losses(
        [...animals, added].map((animal) => ({ ...animal, invokedMs: 0 })),
        stored,
      ),
    );
  } catch (error) {
    findings.push(`The round failed: ${(error as Error).stack}`);
  }
  await postgres.stop();
  rmSync(folder, { recursive: true });
  return { findings, facts };
}

/** A store on SQLite. */
async function fill(folder: string): Promise<{ key: string; animals: StoredAnimal[] }> {
  const server = await ServerProcess.start({ folder });
  await server.stop();
  const database = new SqliteConnection(fileIn(folder));
  database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ANIMALS})
    INSERT INTO pets (name, category_id, status) SELECT 'animal ' || n, n, 'available' FROM numbers`);
  const { key } = await insertKey((sql) => database.exec(sql), KEY_PER_DAY);
  const animals = database.prepare('SELECT id, name FROM pets').all() as StoredAnimal[];
  database.close();
  return { key, animals };
}

function fileIn(folder: string): string {
  return join(folder, 'data/animal-store.db');
}

function begin(
  folder: string,
  to: string,
): { process: ChildProcess; ended: Promise<unknown>; said: () => string; copied: () => number } {
  const args = [resolve('dist/migrate-data.js'), '--from', `sqlite:${fileIn(folder)}`, '--to', to];
  const process_ = spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env['PATH'] } });
  let said = '';
  process_.stdout.on('data', (text: Buffer) => (said += text.toString()));
  process_.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const copied = () => Number([...said.matchAll(/^pets: (\d+) of/gm)].at(-1)?.[1] ?? 0);
  return { process: process_, ended: once(process_, 'close'), said: () => said, copied };
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Row>(sql).finally(() => client.end());
  return rows;
}

async function storedIn(url: string): Promise<StoredAnimal[]> {
  const rows = await query<{ id: string; name: string }>(url, 'SELECT id, name FROM pets ORDER BY id');
  return rows.map(({ id, name }) => ({ id: Number(id), name }));
}

async function addTo(server: ServerProcess, key: string): Promise<StoredAnimal> {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"name":"the last","categoryId":7}',
  });
  if (response.status !== 201)
    throw new Error(`An addition was ${response.status}: ${await response.text()}`);
  return (await response.json()) as StoredAnimal;
}
