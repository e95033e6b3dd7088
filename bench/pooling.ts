/**
 * What a PgBouncer in the mode `transaction` costs: the connections of many replicas on few sessions of PostgreSQL,
 * beside as many direct connections, in turn.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { QueryRunner } from 'typeorm';
import { type Database, openDatabase } from '@animal-store/database';
import { PgBouncer } from '../libs/database/src/testing/pg-bouncer.js';
import { PostgresServer } from '../libs/database/src/testing/postgres-server.js';
import { median } from './measure.js';

const REPLICAS = 20;
/** Of each replica; two further ones are for its background work. */
const POOL_SIZE = 10;
const SESSIONS = 20;
/** Requests that are in flight in each replica. */
const CALLERS = 10;
const ROUNDS = 5;
const ANIMALS = 100_000;
const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

class CreateAnimals1795000000000 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE animals (id bigint PRIMARY KEY, name text, status text)');
    await runner.query(`INSERT INTO animals SELECT n, 'Rex', (ARRAY['available', 'sold'])[1 + n % 2]
      FROM generate_series(1, ${ANIMALS}) AS n`);
    await runner.query('CREATE INDEX animals_status ON animals (status, id)');
  }
}
const tables = [{ records: [], migrations: [CreateAnimals1795000000000] }];

const ONE = 'SELECT id, name, status FROM animals WHERE id = $1';
const PAGE = "SELECT id, name, status FROM animals WHERE status = 'sold' AND id > $1 ORDER BY id LIMIT 20";
const LOCK = 'SELECT id FROM animals WHERE id = $1 FOR UPDATE';
const UPDATE = { single: 'UPDATE animals SET name = $2 WHERE id = $1', many: null };

type Figures = Record<string, number>;

export async function main({ seconds }: { readonly seconds: number }): Promise<void> {
  const postgres = await PostgresServer.start();
  const pooler = await PgBouncer.start(postgres.url, SESSIONS);
  const ways = { direct: postgres.url, PgBouncer: pooler.urlOf(postgres.url) };
  const measured: Record<keyof typeof ways, Figures[]> = { direct: [], PgBouncer: [] };
  try {
    // The first round warms up what all of them share.
    for (let round = 0; round <= ROUNDS; round++)
      for (const [way, url] of Object.entries(ways)) {
        const figures = await measure(url, seconds);
        if (round > 0) measured[way as keyof typeof ways].push(figures);
      }
  } finally {
    await pooler.stop();
    await postgres.stop();
  }
  const names = Object.keys(measured.direct[0]!);
  const of = (figures: Figures[], name: string) => median(figures.map((one) => one[name]!))!.toPrecision(3);
  process.stdout
    .write(`${REPLICAS} replicas with ${POOL_SIZE + 2} connections and ${CALLERS} callers each, and ${SESSIONS} sessions behind PgBouncer

| | direct | PgBouncer |
| --- | ---: | ---: |
${names.map((name) => `| ${name} | ${of(measured.direct, name)} | ${of(measured.PgBouncer, name)} |`).join('\n')}
`);
}

async function measure(url: string, seconds: number): Promise<Figures> {
  const options = {
    kind: 'postgres' as const,
    url,
    otherUrls: [],
    poolSize: POOL_SIZE,
    queueSize: 2_000,
    statementTimeoutMs: 10_000,
    connectTimeoutMs: 30_000,
    migrationTimeoutMs: 30_000,
  };
  const databases: Database[] = [];
  while (databases.length < REPLICAS) databases.push(await openDatabase(options, tables));
  await Promise.all(databases.map((database) => database.openConnections()));
  const figures = await load(databases, seconds);
  await Promise.all(databases.map((database) => database.close()));
  return figures;
}

async function load(databases: readonly Database[], seconds: number): Promise<Figures> {
  const took: number[] = [];
  const before = processorTimes();
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  const call = async (database: Database): Promise<void> => {
    for (let nowMs = performance.now(); nowMs < endMs;) {
      await request(database);
      const doneMs = performance.now();
      took.push(doneMs - nowMs);
      nowMs = doneMs;
    }
  };
  await Promise.all(databases.flatMap((database) => Array.from({ length: CALLERS }, () => call(database))));
  const lastedMs = performance.now() - startedMs;
  const after = processorTimes();
  took.sort((one, other) => one - other);
  const each = (name: keyof typeof after) => ((after[name] - before[name]) * 1e6) / took.length;
  return {
    'requests a second': (took.length * 1_000) / lastedMs,
    'p50, ms': took[Math.floor(took.length * 0.5)]!,
    'p99, ms': took[Math.floor(took.length * 0.99)]!,
    'processor of the service, µs': each('node'),
    'of PostgreSQL, µs': each('postgres'),
    'of PgBouncer, µs': each('pgbouncer'),
  };
}

/** 75 % read an animal, 20 % a page, 5 % change an animal. None shares a statement with another one. */
async function request(database: Database): Promise<void> {
  const kind = Math.random();
  const id = BigInt(1 + Math.floor(Math.random() * (ANIMALS - 100)));
  if (kind < 0.75) return void (await database.query(ONE, [id]));
  if (kind < 0.95) return void (await database.query(PAGE, [id]));
  await database.run(async (transaction) => {
    const session = database.session(transaction);
    await session.query(LOCK, [id]);
    await session.execute(UPDATE, [id, 'Bella']);
  });
}

/** Seconds, of this process and of the servers that it has started. */
function processorTimes() {
  const { user, system } = process.cpuUsage();
  const times = { node: (user + system) / 1e6, postgres: 0, pgbouncer: 0 };
  const parents = new Map<number, number>();
  const servers: [pid: number, name: 'postgres' | 'pgbouncer', seconds: number][] = [];
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const [, name, rest] = /\((.*)\) (.*)/.exec(statOf(pid)) ?? [];
    const fields = rest?.split(' ').map(Number) ?? [];
    parents.set(pid, fields[1]!);
    if (name === 'postgres' || name === 'pgbouncer')
      servers.push([pid, name, (fields[11]! + fields[12]!) / TICKS_A_SECOND]);
  }
  const isOwn = (pid: number): boolean =>
    pid === process.pid || (parents.has(pid) && isOwn(parents.get(pid)!));
  for (const [pid, name, seconds] of servers) if (isOwn(pid)) times[name] += seconds;
  return times;
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}
