/**
 * A service that does nothing but add jobs and run them. It writes down what it is about to do and has done, in a file
 * of its own which survives its end: that is what the check believes, and not the table of jobs.
 */
import 'reflect-metadata';
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import { Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { Database, DatabaseModule, openDatabase } from '@animal-store/database';
import {
  Every,
  Job,
  type JobHandler,
  JobOutbox,
  jobsTables,
  JobsModule,
  JobWorker,
} from '@animal-store/jobs';
import { Clock, type DomainEvent, SystemClock, type Transaction } from '@animal-store/kernel';

const { DATABASE_URL = '', JOURNALS = '', LEASE_MS = '', GRACE_MS = '', TOGETHER = '' } = process.env;
const HEARTBEAT_MS = 20;
/** So long may PostgreSQL be down when a worker starts. */
const STARTS_WITHIN_MS = 20_000;
/** How many jobs a transaction adds at most. */
const MAX_TOGETHER = Number(TOGETHER);
/** Then they do nothing, and are as many as the workers can run. */
const isMany = MAX_TOGETHER > 10;
/** Each kill of a worker takes one from what it runs, and a long round has many. */
const ATTEMPTS = 1_000;
/** Of a shorter stop nobody need know. */
const GAP_MS = 300;

const journal = openSync(join(JOURNALS, `${process.pid}-${process.hrtime.bigint()}`), 'a');

/** Milliseconds of a clock that all processes of the machine share, and that is never set. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function note(what: string, facts: object): void {
  writeSync(journal, `${JSON.stringify({ what, atMs: nowMs(), ...facts })}\n`);
}

/** A process that was stopped cannot know that it has lost a job. */
let beatMs = nowMs();
setInterval(() => {
  const lastMs = beatMs;
  beatMs = nowMs();
  if (beatMs - lastMs > GAP_MS) note('gap', { fromMs: lastMs });
}, HEARTBEAT_MS).unref();

/** The row beside which a job is added: with it there is the job, without it there is none. */
@Entity({ name: 'causes' })
class CauseRecord {
  @PrimaryColumn({ type: 'text' })
  id: string;
}

class CreateCauses1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE causes (id text NOT NULL PRIMARY KEY)');
  }

  async down(): Promise<void> {}
}

interface Task {
  readonly id: string;
  readonly takesMs: number;
  /** Whether it fails at first in each process, or always. */
  readonly fails?: 'first' | 'always';
}

interface Announced extends DomainEvent, Task {}

const failedHere = new Set<string>();

async function run(kind: string, { id, takesMs, fails }: Task, signal: AbortSignal): Promise<void> {
  note('begun', { kind, id });
  let how = 'done';
  try {
    await delay(takesMs, undefined, { signal });
    if (fails === 'always' || (fails === 'first' && !failedHere.has(id))) throw new Error('As it should.');
  } catch (error) {
    failedHere.add(id);
    how = signal.aborted ? 'aborted' : 'failed';
    throw error;
  } finally {
    note('ended', { kind, id, how });
  }
}

@Job('notify', { on: ['announced'], concurrency: 50, attempts: ATTEMPTS, backOffMs: () => 300 })
class Tell implements JobHandler<Announced> {
  run(task: Announced, signal: AbortSignal): Promise<void> {
    return run('notify', task, signal);
  }
}

@Job('turn', { attempts: ATTEMPTS, backOffMs: () => 300 })
class Turn implements JobHandler<Task> {
  run(task: Task, signal: AbortSignal): Promise<void> {
    return run('turn', task, signal);
  }
}

@Job('fail', { attempts: 3, backOffMs: () => 300 })
class Fail implements JobHandler<Task> {
  run(task: Task, signal: AbortSignal): Promise<void> {
    return run('fail', task, signal);
  }
}

@Job('tick')
@Every('1s')
class Tick implements JobHandler<null> {
  run(_: null, signal: AbortSignal): Promise<void> {
    return run('tick', { id: `${nowMs()}`, takesMs: 5 }, signal);
  }
}

/** Adds jobs, each with its cause, until it gets the message to stop. */
class Producer {
  private isQuiet = false;
  private count = 0;
  private readonly insert;

  constructor(
    private readonly database: Database,
    private readonly outbox: JobOutbox,
    private readonly worker: JobWorker,
  ) {
    this.insert = database.statements(CauseRecord, 'cause').insertWithId();
  }

  quiet(): void {
    this.isQuiet = true;
  }

  async run(): Promise<void> {
    await Promise.all([
      this.repeatedly(async () => {
        const fails = Math.random() < 0.1 ? 'first' : undefined;
        const length = 1 + Math.floor(Math.random() * MAX_TOGETHER);
        const tasks = Array.from({ length }, () => this.task({ fails, ...(isMany && { takesMs: 0 }) }));
        await this.add(tasks, (task, transaction) =>
          this.outbox.add({ name: 'announced', ...task }, transaction),
        );
        while (isMany && !this.isQuiet && (await this.haveBacklog())) await delay(50);
      }),
      this.repeatedly(async () => {
        const fails = Math.random() < 0.05 ? 'first' : undefined;
        await this.add([this.task({ fails })], (task, transaction) => this.addJob('turn', task, transaction));
      }),
      this.repeatedly(async () => {
        const slow = this.task({ takesMs: 1.5 * Number(LEASE_MS) });
        await this.add([slow], (task, transaction) => this.addJob('turn', task, transaction));
        await this.add([this.task({ fails: 'always' })], (task, transaction) =>
          this.addJob('fail', task, transaction),
        );
        await delay(4_000);
      }),
    ]);
  }

  /** Whether there are as many jobs as the workers can run. */
  private async haveBacklog(): Promise<boolean> {
    const waiting = await this.worker.oldestWaiting().catch(() => []);
    return waiting.some(([kind, seconds]) => kind === 'notify' && seconds > 1);
  }

  private addJob(kind: string, task: Task, transaction: Transaction): Promise<void> {
    return this.outbox.addJob({ kind, subject: task.id, payload: task }, transaction);
  }

  private task(more: Partial<Task>): Task {
    return { id: `${process.pid}-${this.count++}`, takesMs: Math.random() * 20, ...more };
  }

  private async repeatedly(step: () => Promise<void>): Promise<void> {
    while (!this.isQuiet) {
      await step();
      await delay(10 + Math.random() * 60);
    }
  }

  /** @returns whether it is known what has become of it */
  private async add(
    tasks: readonly Task[],
    add: (task: Task, transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    const ids = tasks.map(({ id }) => id);
    const isRolledBack = Math.random() < 0.15;
    try {
      await this.database.run(async (transaction) => {
        for (const task of tasks) {
          await this.insert.execute({ id: task.id }, transaction);
          await add(task, transaction);
        }
        if (isRolledBack) throw new RolledBack();
      });
      note('added', { ids });
    } catch (error) {
      if (error instanceof RolledBack) note('rolled back', { ids });
      else await delay(200);
    }
  }
}

class RolledBack extends Error {}

/** A PostgreSQL whose clock is that of the table `skew`, for all who find its function before that of PostgreSQL. */
async function withItsClock(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  // The query reports a connection that is lost.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(1);
      CREATE SCHEMA IF NOT EXISTS skewed;
      CREATE TABLE IF NOT EXISTS skewed.skew AS SELECT 0 AS seconds;
      CREATE OR REPLACE FUNCTION skewed.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        'SELECT pg_catalog.clock_timestamp() + (SELECT seconds FROM skewed.skew) * interval ''1 second''';
      COMMIT`);
  } finally {
    await client.end();
  }
  return `${url}?options=-c%20search_path%3Dskewed,pg_catalog`;
}

/** PostgreSQL may be restarted while a worker starts, which nothing starts again. */
async function untilReached<T>(open: () => Promise<T>): Promise<T> {
  for (const endMs = nowMs() + STARTS_WITHIN_MS; ; await delay(200))
    try {
      return await open();
    } catch (error) {
      if (nowMs() > endMs) throw error;
    }
}

const settings = DATABASE_URL.startsWith('sqlite:')
  ? ({
      kind: 'sqlite',
      file: DATABASE_URL.slice('sqlite:'.length),
      lockTimeoutMs: 2_000,
      handoverTimeoutMs: 10_000,
    } as const)
  : ({
      kind: 'postgres',
      url: await untilReached(() => withItsClock(DATABASE_URL)),
      otherUrls: [],
      poolSize: 6,
      queueSize: 1_000,
      statementTimeoutMs: 1_500,
      connectTimeoutMs: 1_500,
      migrationTimeoutMs: 20_000,
    } as const);
const causes = { records: [CauseRecord], migrations: [CreateCauses1700000000000] };
const database = await untilReached(() =>
  openDatabase(settings, [jobsTables, causes], { soleUser: { name: 'a worker', nowMs: Date.now() } }),
);

@Module({})
class ClockModule {}

@Module({})
class WorkerModule {}

const clock = [{ provide: Clock, useValue: new SystemClock() }];
const imports = [
  { module: ClockModule, global: true, providers: clock, exports: clock },
  DatabaseModule.forRoot(database),
  JobsModule,
];
const print = (...said: unknown[]) => void process.stdout.write(`${nowMs().toFixed(0)} ${said.join(' ')}\n`);
const app = await NestFactory.createApplicationContext(
  { module: WorkerModule, imports, providers: [Tell, Turn, Fail, Tick] },
  { logger: { log: print, warn: print, error: print }, abortOnError: false },
);
const worker = app.get(JobWorker);
worker['runs'].leaseMs = Number(LEASE_MS);
const producer = new Producer(database, app.get(JobOutbox), worker);
const produced = producer.run();

const server = createServer((request, response) => {
  if (request.url === '/quiet') producer.quiet();
  response.end('{"status":"ok"}');
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`"Listening on 127.0.0.1:${(server.address() as AddressInfo).port}."\n`);
});

process.on('SIGTERM', () => {
  note('stopping', {});
  producer.quiet();
  void Promise.all([produced, worker.stop(Number(GRACE_MS))])
    .then(() => app.close())
    .then(() => process.exit(0));
});
