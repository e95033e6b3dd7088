import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger, type Type } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import type { Database } from '@animal-store/database';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import {
  Clock,
  DAY_MS,
  type DomainEvent,
  type EventClass,
  Outbox,
  SystemClock,
  type Transaction,
} from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import {
  Every,
  Job,
  JobAdmin,
  type JobHandler,
  JobOutbox,
  jobsTables,
  JobWorker,
  type RunAgain,
} from './index.js';
import type { EventJob } from './job.decorator.js';
import { JobStore, type NewJob } from './infrastructure/job-store.js';
import { JobRecord } from './infrastructure/job.record.js';
import { startJobs } from './testing/start-jobs.js';
import { JobSchedules } from './schedules/job-schedules.js';
import { JobTime } from './schedules/job-time.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface VisitBooked extends DomainEvent {
  readonly visit: bigint;
}

const booked = (visit: bigint): VisitBooked => ({ name: 'visit.booked', visit });

/** A class of such events by another name. */
function eventOf(name: string): EventClass<bigint> {
  return class implements DomainEvent {
    static readonly event = name;
    readonly name = name;
    constructor(readonly visit: bigint) {}
  };
}

/** What each job did, in that order. */
let log: string[];
/** What a job does besides. */
let during: (job: string, signal: AbortSignal) => Promise<void> | void;
let isWanted: boolean;
/** In how many milliseconds the job can run. */
let busyForMs: number | null;

async function does(job: string, signal: AbortSignal): Promise<void> {
  log.push(job);
  return during(job, signal);
}

@Job('visits.remind', { on: ['visit.booked'], attempts: 3, backOffMs: (failed) => failed * MINUTE })
class RemindOfVisit implements JobHandler<VisitBooked> {
  async run({ visit }: VisitBooked, signal: AbortSignal): Promise<void | RunAgain> {
    if (busyForMs !== null) return { inMs: busyForMs };
    return does(`remind of ${visit} (${typeof visit})`, signal);
  }
}

@Job('visits.notify', {
  on: ['visit.announced'],
  concurrency: 10,
  backOffMs: () => MINUTE,
})
class TellOfVisit implements JobHandler<string> {
  run(visit: string, signal: AbortSignal): Promise<void> {
    return does(visit, signal);
  }

  wants(): boolean {
    return isWanted;
  }

  jobsFor(event: DomainEvent): readonly EventJob<string>[] {
    const { to } = event as DomainEvent & { readonly to: readonly string[] };
    return to.map((payload) => ({ payload, subject: payload.split(' ')[0]! }));
  }
}

@Job('visits.write', { concurrency: 3, backOffMs: () => MINUTE })
class WriteVisit implements JobHandler<string> {
  run(written: string, signal: AbortSignal): Promise<void> {
    return does(written, signal);
  }
}

@Job('visits.count')
@Every('1h')
class CountVisits implements JobHandler<null> {
  run(_: null, signal: AbortSignal): Promise<void> {
    return does('count', signal);
  }
}

@Job('visits.close')
@Every('1d')
class CloseVisits implements JobHandler<null> {
  run(_: null, signal: AbortSignal): Promise<void> {
    return does('close', signal);
  }
}

const handlers = [RemindOfVisit, TellOfVisit, WriteVisit, CountVisits, CloseVisits];

describe.each(databases)('Jobs on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, jobsTables);
  let clock: FakeClock;
  const apps: TestingModule[] = [];
  let app: TestingModule;
  let jobs: JobWorker;

  beforeEach(async () => {
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    log = [];
    during = () => undefined;
    isWanted = true;
    busyForMs = null;
    for (const level of ['log', 'warn', 'error'] as const)
      jest.spyOn(Logger.prototype, level).mockReturnValue(undefined);
    app = await start();
    jobs = app.get(JobWorker);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    for (const one of apps.splice(0)) await one.get(JobWorker).stop();
  });

  /** A process. All have one database and one clock. */
  async function start(providers: Type[] = handlers, time: Clock = clock): Promise<TestingModule> {
    const one = await startJobs(temporary.database, time, providers);
    apps.push(one);
    return one;
  }

  function announce(event: DomainEvent, within = app): Promise<void> {
    return temporary.database.run((transaction) => within.get(Outbox).add(event, transaction));
  }

  async function notify(...to: string[]): Promise<void> {
    for (const one of to) await announce({ name: 'visit.announced', to: [one] } as DomainEvent);
  }

  async function write(...payloads: string[]): Promise<void> {
    for (const payload of payloads) {
      const job = { kind: 'visits.write', subject: payload.split(' ')[0], payload };
      await temporary.database.run((transaction) => app.get(JobOutbox).addJob(job, transaction));
    }
  }

  const states = async (kind?: string) =>
    (await app.get(JobAdmin).list({ kind, limit: 100 })).map(({ state }) => state).reverse();

  describe('An event', () => {
    it('becomes a job of each class that names it, with exact numbers', async () => {
      await announce(booked(9007199254740993n));

      expect(await jobs.runDue()).toEqual([{ kind: 'visits.remind', state: 'done', problem: null }]);
      expect(log).toEqual(['remind of 9007199254740993 (bigint)']);
      expect(await jobs.runDue()).toEqual([]);
    });

    it('is nothing after a rollback', async () => {
      const failing = temporary.database.run(async (transaction) => {
        await app.get(Outbox).add(booked(1n), transaction);
        throw new Error('the keeper overslept');
      });

      await expect(failing).rejects.toThrow('the keeper overslept');
      expect(await jobs.runDue()).toEqual([]);
      expect(await states()).toEqual([]);
    });

    it('that nobody names is not stored', async () => {
      await announce({ name: 'visit.forgotten' });

      expect(await states()).toEqual([]);
    });

    it('becomes as many jobs as its class says, and none while the class wants none', async () => {
      await announce({ name: 'visit.announced', to: ['zoo 1', 'circus 1'] } as DomainEvent);
      isWanted = false;
      await notify('zoo 2');

      await jobs.runDue();
      expect(log).toEqual(['zoo 1', 'circus 1']);
    });

    it('gives its cause a transaction only while a job is added by it', async () => {
      const outbox = app.get(Outbox);
      const isGiven = async (name: string) => {
        let given = false;
        await outbox.run(eventOf(name), async (transaction) => {
          given = transaction !== undefined;
          return 1n;
        });
        return given;
      };

      expect(await isGiven('visit.forgotten')).toBe(false);
      isWanted = false;
      expect(await isGiven('visit.announced')).toBe(false);
      expect(await states()).toEqual([]);
      expect(await isGiven('visit.booked')).toBe(true);
      expect(await states()).toEqual(['waiting']);
    });

    it.each(['visit.forgotten', 'visit.booked'])(
      'lets the inserts of one moment share transactions: %s',
      async (name) => {
        const { database } = temporary;
        if (database.dialect === 'sqlite') return;
        const visits = database.statements(JobRecord, 'visit');
        const insert = visits.insert([
          'kind',
          'subject',
          'payload',
          'state',
          'dueAtMs',
          'createdAtMs',
          'attempts',
          'attemptsLeft',
        ]);
        const visit = {
          subject: '-',
          payload: '0',
          state: 'done',
          dueAtMs: 0,
          createdAtMs: 0,
          attempts: 0,
          attemptsLeft: 1,
        } as const;
        const add = async (transaction?: Transaction) => {
          await insert.execute({ ...visit, kind: name }, transaction);
          return 1n;
        };
        await Promise.all(Array.from({ length: 60 }, () => app.get(Outbox).run(eventOf(name), add)));

        const sql =
          'SELECT count(*) AS rows, count(DISTINCT xmin::text) AS transactions FROM jobs WHERE kind = $1';
        const [inserted] = await database.query<{ rows: bigint; transactions: bigint }>(sql, [name]);
        expect(inserted!.rows).toBe(60n);
        expect(Number(inserted!.transactions)).toBeLessThan(10);
      },
    );

    it('is refused when its payload or its subject is too long, with what causes it', async () => {
      await expect(write(`den ${'x'.repeat(70_000)}`)).rejects.toThrow('65536 is the most');
      await expect(write('d'.repeat(256))).rejects.toThrow('at most 255 characters');
      await write(`${'d'.repeat(255)} ${'x'.repeat(65_000)}`);
      expect(await states()).toEqual(['waiting']);
    });

    it('may have no subject, and wait for any time that ends', async () => {
      const add = (job: Partial<NewJob>) =>
        temporary.database.run((transaction) =>
          app.get(JobOutbox).addJob({ kind: 'visits.write', payload: 'den 1', ...job }, transaction),
        );
      await add({ subject: '', delayMs: 0.5 });
      await add({ delayMs: -1 });
      for (const delayMs of [NaN, Infinity])
        await expect(add({ delayMs })).rejects.toThrow(`A job cannot wait for ${delayMs} ms.`);

      clock.advance(1);
      expect(await jobs.runDue()).toMatchObject([{ state: 'done' }, { state: 'done' }]);
    });

    it('becomes part of the transaction of its caller', async () => {
      const failing = temporary.database.run(async (within) => {
        const work = async (transaction?: Transaction) => {
          expect(transaction).toBe(within);
          return 1n;
        };
        await app.get(Outbox).run(eventOf('visit.booked'), work, within);
        throw new Error('the keeper overslept');
      });

      await expect(failing).rejects.toThrow('the keeper overslept');
      expect(await states()).toEqual([]);
    });

    it('of a job that causes others is run, too', async () => {
      during = async (job) => {
        if (job.startsWith('remind'))
          await announce({ name: 'visit.announced', to: ['zoo 1'] } as DomainEvent);
      };
      await announce(booked(1n));

      await jobs.runDue();
      expect(log).toEqual(['remind of 1 (bigint)', 'zoo 1']);
    });
  });

  describe('A job that fails', () => {
    beforeEach(() => {
      during = () => {
        throw new Error('the bell is broken');
      };
    });

    it('is tried again after its back-off, and has failed after the last attempt', async () => {
      const failed = (state: string) => [{ kind: 'visits.remind', state, problem: 'the bell is broken' }];
      await announce(booked(1n));

      expect(await jobs.runDue()).toEqual(failed('delayed'));
      expect(await jobs.runDue()).toEqual([]);
      // At most a quarter more than the back-off, and at least a quarter less.
      clock.advance(0.74 * MINUTE);
      expect(await jobs.runDue()).toEqual([]);
      clock.advance(0.52 * MINUTE);
      expect(await jobs.runDue()).toEqual(failed('delayed'));
      clock.advance(2.5 * MINUTE);
      expect(await jobs.runDue()).toEqual(failed('failed'));
      clock.advance(30 * DAY_MS);
      expect((await jobs.runDue()).filter(({ kind }) => kind === 'visits.remind')).toEqual([]);

      const [job] = await app.get(JobAdmin).list({ state: 'failed', limit: 10 });
      expect(job).toMatchObject({ id: 1n, attempts: 3, attemptsLeft: 0, problem: 'the bell is broken' });
    });

    it('has failed for whatever reason it says', async () => {
      during = () => {
        throw new Error(`the bell says \0 ${'ding '.repeat(500)}`);
      };
      await announce(booked(1n));

      expect(await jobs.runDue()).toMatchObject([{ state: 'delayed' }]);
      const { problem } = await app.get(JobAdmin).find(1n);
      expect(problem).toMatch(/^the bell says \ufffd ding/);
      expect(problem).toHaveLength(1_000);
    });

    it('is in the log, in one line for many', async () => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
      await temporary.database.run(async (transaction) => {
        for (let visit = 0n; visit < 50n; visit++) await app.get(Outbox).add(booked(visit), transaction);
      });

      await jobs.runDue();
      expect(warn.mock.calls).toEqual([
        [expect.stringMatching(/^visits.remind \d+ is retried in \d+ s: the bell is broken$/)],
      ]);
      clock.advance(10 * MINUTE);
      await jobs.runDue();
      expect(warn.mock.calls[1]).toEqual([
        expect.stringMatching(/bell is broken 49 others since the last line.$/),
      ]);
      expect(warn).toHaveBeenCalledTimes(2);
    });

    it('can be retried by an operator, as often as its kind says, whatever it was before', async () => {
      await announce(booked(1n));
      for (let attempts = 0; attempts < 3; attempts++, clock.advance(10 * MINUTE)) await jobs.runDue();
      await expect(app.get(JobAdmin).cancel(99n)).rejects.toThrow('No job has id 99.');

      const { database } = temporary;
      await database.run((transaction) => database.session(transaction).query('UPDATE jobs SET tries = 500'));

      expect(await app.get(JobAdmin).retry(1n)).toMatchObject({ state: 'waiting' });
      for (let attempts = 0; attempts < 2; attempts++, clock.advance(10 * MINUTE)) await jobs.runDue();
      expect(await app.get(JobAdmin).find(1n)).toMatchObject({
        state: 'delayed',
        attempts: 502,
        attemptsLeft: 1,
      });
      await jobs.runDue();
      expect(await app.get(JobAdmin).find(1n)).toMatchObject({ state: 'failed' });
      await app.get(JobAdmin).retry(1n);
      await expect(app.get(JobAdmin).retry(1n)).rejects.toThrow('Job 1 is waiting and cannot be retried.');
      during = () => undefined;
      expect(await jobs.runDue()).toContainEqual({ kind: 'visits.remind', state: 'done', problem: null });
      await expect(app.get(JobAdmin).cancel(1n)).rejects.toThrow('Job 1 is done and cannot be cancelled.');
    });

    it('is not run after it was cancelled, until it is retried', async () => {
      await announce(booked(1n));

      expect(await app.get(JobAdmin).cancel(1n)).toMatchObject({ state: 'cancelled' });
      expect(await jobs.runDue()).toEqual([]);
      await app.get(JobAdmin).retry(1n);
      expect(await jobs.runDue()).toMatchObject([{ state: 'delayed' }]);
    });

    it('does not block others of its subject', async () => {
      during = (job) => {
        if (job.endsWith('1')) throw new Error('the bell is broken');
      };
      await notify('zoo 1', 'zoo 2', 'zoo 3');

      await jobs.runDue();
      expect(log).toEqual(['zoo 1', 'zoo 2', 'zoo 3']);
    });
  });

  it('A job that cannot run yet says when it can: it is run again then, as one job, and the try does not count', async () => {
    busyForMs = 1_999.5;
    await announce(booked(1n));
    for (let times = 0; times < 5; times++, clock.advance(2_000))
      expect(await jobs.runDue()).toEqual([{ kind: 'visits.remind', state: 'delayed', problem: null }]);
    busyForMs = null;
    clock.advance(-1);
    expect(await jobs.runDue()).toEqual([]);
    clock.advance(1);
    expect(await jobs.runDue()).toMatchObject([{ state: 'done' }]);

    expect(await states()).toEqual(['done']);
    expect(await app.get(JobAdmin).find(1n)).toMatchObject({ attempts: 6, attemptsLeft: 2, problem: null });
  });

  it('A job that fails after it could not run waits as long as others do after their first failure', async () => {
    busyForMs = 1_000;
    await announce(booked(1n));
    for (let times = 0; times < 5; times++, clock.advance(1_000)) await jobs.runDue();
    busyForMs = null;
    during = () => Promise.reject(new Error('the bell is broken'));
    expect(await jobs.runDue()).toMatchObject([{ state: 'delayed', problem: 'the bell is broken' }]);
    during = () => undefined;
    clock.advance(1.26 * MINUTE);
    expect(await jobs.runDue()).toMatchObject([{ state: 'done' }]);
  });

  it('A job that returns anything else is done', async () => {
    during = () => [] as unknown as undefined;
    await announce(booked(1n));
    expect(await jobs.runDue()).toMatchObject([{ state: 'done' }]);
  });

  it.each([NaN, Infinity, -1])('A job that says it can run in %p ms has failed an attempt', async (inMs) => {
    busyForMs = inMs;
    await announce(booked(1n));

    expect(await jobs.runDue()).toEqual([
      { kind: 'visits.remind', state: 'delayed', problem: `A job cannot wait for ${inMs} ms.` },
    ]);
    expect(await app.get(JobAdmin).find(1n)).toMatchObject({ state: 'delayed', attemptsLeft: 2 });
  });

  describe('Many jobs', () => {
    /** Blocks each job until its function is called. By name. */
    function blocking(): Map<string, () => void> {
      const blocked = new Map<string, () => void>();
      during = (job) => new Promise<void>((resolve) => blocked.set(job, resolve));
      return blocked;
    }

    async function until(isReached: () => boolean): Promise<void> {
      while (!isReached()) await new Promise(setImmediate);
    }

    it('never run twice, however many processes poll for them', async () => {
      await temporary.database.run(async (transaction) => {
        for (let visit = 0n; visit < 200n; visit++) await app.get(Outbox).add(booked(visit), transaction);
      });

      const all = [jobs, ...(await Promise.all([start(), start()])).map((one) => one.get(JobWorker))];
      while (log.length < 200) await Promise.all(all.map((one) => one.runDue()));
      expect(new Set(log).size).toBe(200);
      expect(log).toHaveLength(200);
    });

    it('begin together in the order in which they were added, also when the first has been retried', async () => {
      await write('till', 'door', 'gate');
      await app.get(JobAdmin).cancel(1n);
      await app.get(JobAdmin).retry(1n);

      await jobs.runDue();
      expect(log).toEqual(['till', 'door', 'gate']);
    });

    it('run as many at once as their kind says', async () => {
      const blocked = blocking();
      await temporary.database.run(async (transaction) => {
        for (let visit = 0n; visit < 12n; visit++) await app.get(Outbox).add(booked(visit), transaction);
      });

      const running = jobs.runDue();
      await until(() => blocked.size === 5);
      await app.get(JobWorker)['step']();
      expect(blocked.size).toBe(5);
      during = () => undefined;
      for (const release of blocked.values()) release();
      await running;
      expect(log).toHaveLength(12);
    });
  });

  describe('A worker that dies', () => {
    /** Begins jobs in another process, which is never heard of again. */
    async function dyingWorker(): Promise<void> {
      during = () => new Promise(() => undefined);
      const worker = (await start()).get(JobWorker);
      await worker['step']();
      while (log.length === 0) await new Promise(setImmediate);
      worker['runs'].abandon();
      during = () => undefined;
      log = [];
    }

    it('gives its jobs back when its lease ends, and not before', async () => {
      await announce(booked(1n));
      await dyingWorker();

      clock.advance(29_999);
      expect(await jobs.runDue()).toEqual([]);
      clock.advance(1);
      expect(await jobs.runDue()).toMatchObject([{ state: 'done' }]);
    });

    it('has used an attempt, so a job that ends every worker fails', async () => {
      await announce(booked(1n));
      for (let attempts = 0; attempts < 3; attempts++, clock.advance(30_000)) await dyingWorker();

      expect(await jobs.runDue()).toEqual([]);
      expect(await app.get(JobAdmin).find(1n)).toMatchObject({
        state: 'failed',
        problem: 'Its lease has expired.',
      });
    });
  });

  describe('A job that runs', () => {
    it('runs in the root context, whichever request has caused it', async () => {
      const requests = new AsyncLocalStorage<string>();
      const contexts: (string | undefined)[] = [];
      during = () => void contexts.push(requests.getStore());
      const real = await start(handlers, new SystemClock());

      for (const [index, request] of ['first', 'second', 'third'].entries()) {
        // The worker rests by then, so that it is the request that wakes it.
        for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
        await requests.run(request, () => announce(booked(BigInt(index)), real));
        while (contexts.length <= index) await new Promise(setImmediate);
      }
      expect(contexts).toEqual([undefined, undefined, undefined]);
    });

    it('extends its lease as long as it runs', async () => {
      let release!: () => void;
      during = () => new Promise<void>((resolve) => (release = resolve));
      await announce(booked(1n));
      const running = jobs.runDue();
      while (log.length === 0) await new Promise(setImmediate);
      const other = (await start()).get(JobWorker);

      for (let times = 0; times < 6; times++) {
        clock.advance(15_000);
        await app.get(JobWorker)['step']();
        expect(await other.runDue()).toEqual([]);
      }
      release();
      expect(await running).toMatchObject([{ state: 'done' }]);
      expect(await states()).toEqual(['done']);
    });

    it('is not begun when its lease has expired before its worker knows that it has it', async () => {
      await announce(booked(1n));
      const worker = app.get(JobWorker);
      const { claims } = worker['store'];
      const claim = claims.claim.bind(claims);
      const slow = jest.spyOn(claims, 'claim').mockImplementation(async (wanted, transaction) => {
        const claimed = await claim(wanted, transaction);
        if (claimed.length > 0) clock.advance(30_000);
        return claimed;
      });
      await worker['step']();
      await worker['runs'].allEnded();
      expect(log).toEqual([]);

      slow.mockRestore();
      expect(await jobs.runDue()).toMatchObject([{ state: 'done' }]);
      expect(log).toHaveLength(1);
    });

    it('has its lease by the clock of the database, whatever a process believes that it is', async () => {
      if (temporary.database.dialect === 'sqlite') return;
      const real = await start(handlers, new SystemClock());
      await real.get(JobWorker).stop();
      const time = real.get(JobTime);
      time.set(Date.now() - 25 * HOUR, time.monotonicMs());
      await announce(booked(1n));
      const { claims, database } = real.get(JobWorker)['store'];
      const lease = { nowMs: time.leaseNowMs(), leaseMs: 30_000 };
      const find = () => app.get(JobAdmin).find(1n);

      const beforeMs = Date.now();
      await database.run((within) =>
        claims.claim({ kind: 'visits.remind', limit: 1, attempts: 3, ...lease }, within),
      );
      const { dueAtMs } = await find();
      // PostgreSQL runs on this machine.
      expect(dueAtMs - beforeMs).toBeGreaterThanOrEqual(30_000);
      expect(dueAtMs - Date.now()).toBeLessThanOrEqual(30_000);

      await database.run((within) => claims.extend([1n], { ...lease, leaseMs: 60_000 }, within));
      expect((await find()).dueAtMs - dueAtMs).toBeGreaterThanOrEqual(30_000);
    });

    it('is stopped when another worker has it', async () => {
      let reason: unknown;
      during = (_job, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject((reason = signal.reason) as Error));
        });
      await announce(booked(1n));
      const running = jobs.runDue();
      while (log.length === 0) await new Promise(setImmediate);

      clock.advance(31_000);
      during = () => undefined;
      expect(await (await start()).get(JobWorker).runDue()).toMatchObject([{ state: 'done' }]);
      await app.get(JobWorker)['step']();
      await running;
      expect(reason).toEqual(new Error('Its lease has expired.'));
      // What the first worker says of it does not count.
      expect(await states()).toEqual(['done']);
    });

    it('is begun again by its process when another had it meanwhile, and keeps its new lease when the first run ends', async () => {
      const release: (() => void)[] = [];
      during = () => new Promise<void>((resolve) => release.push(resolve));
      await announce(booked(1n));
      const worker = app.get(JobWorker);
      await worker['step']();
      while (release.length < 1) await new Promise(setImmediate);
      const first = worker['runs']['running'].get(1n)!;
      clock.advance(31_000);
      // As another process does whose jobs are not these.
      const { claims, database } = worker['store'];
      await database.run((within) => claims.reclaim('visits.remind', clock.now(), [], within));
      await worker['step']();
      while (release.length < 2) await new Promise(setImmediate);

      release[0]!();
      await first.ended;
      expect(worker['runs'].ids).toEqual([1n]);
      release[1]!();
      await worker['runs'].allEnded();
      expect(await app.get(JobAdmin).find(1n)).toMatchObject({ state: 'done', attempts: 2 });
    });

    it('is left to itself when it ignores its signal at a shutdown: what it becomes is neither stored nor in the log', async () => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
      const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
      let fail!: (cause: Error) => void;
      during = () => new Promise<void>((_resolve, reject) => (fail = reject));
      await announce(booked(1n));
      const running = jobs.runDue();
      while (log.length === 0) await new Promise(setImmediate);
      await app.get(JobWorker).beforeApplicationShutdown();
      expect(warn.mock.calls).toEqual([
        ["Jobs still running after the shutdown's abort signal: visits.remind 1."],
      ]);

      // As after the database has closed.
      const end = jest.spyOn(app.get(JobWorker)['store'], 'end').mockRejectedValue(new Error('closed'));
      fail(new Error('the bell is broken'));
      await running;
      expect(end).not.toHaveBeenCalled();
      expect(warn).toHaveBeenCalledTimes(1);
      expect(error).not.toHaveBeenCalled();
      expect(await app.get(JobAdmin).find(1n)).toMatchObject({ state: 'running', attempts: 1 });
    });

    it('is given back without being begun when the shutdown comes while its worker takes it', async () => {
      await announce(booked(1n));
      const worker = app.get(JobWorker);
      const { claims } = worker['store'];
      const claim = claims.claim.bind(claims);
      const stop = jest.spyOn(worker['runs'], 'stop');
      let stopping: Promise<void> | undefined;
      jest.spyOn(claims, 'claim').mockImplementation(async (wanted, transaction) => {
        stopping ??= worker.stop();
        while (stop.mock.calls.length === 0) await new Promise(setImmediate);
        return claim(wanted, transaction);
      });
      await worker['task'].run();
      await stopping;

      expect(log).toEqual([]);
      expect(await app.get(JobAdmin).find(1n)).toMatchObject({ state: 'waiting', attemptsLeft: 3 });
    });

    it.each(['cancel', 'retry'] as const)(
      'no longer decides what it becomes when another process took it, and an operator has chosen to %s it',
      async (verb) => {
        let fail!: (cause: Error) => void;
        during = () => new Promise<void>((_resolve, reject) => (fail = reject));
        await announce(booked(1n));
        const running = jobs.runDue();
        while (log.length === 0) await new Promise(setImmediate);
        clock.advance(31_000);
        const { claims, database } = app.get(JobWorker)['store'];
        await database.run((within) => claims.reclaim('visits.remind', clock.now(), [], within));
        const admin = app.get(JobAdmin);
        await admin.cancel(1n);
        if (verb === 'retry') await admin.retry(1n);

        during = () => undefined;
        fail(new Error('the bell is broken'));
        await running;
        expect(await states()).toEqual([verb === 'retry' ? 'waiting' : 'cancelled']);
      },
    );

    it('is waited for at a shutdown, and given back when it takes longer', async () => {
      during = (job, signal) =>
        job.includes(' 1 ')
          ? new Promise((resolve) => setImmediate(resolve))
          : new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => reject(signal.reason as Error)),
            );
      await announce(booked(1n));
      await announce(booked(2n));
      const running = jobs.runDue();
      while (log.length < 2) await new Promise(setImmediate);

      await app.get(JobWorker).stop(50);
      await announce(booked(3n));
      await running;
      expect(await states()).toEqual(['done', 'waiting', 'waiting']);
      expect(await app.get(JobAdmin).find(2n)).toMatchObject({ attempts: 1, attemptsLeft: 3 });
      expect(await jobs.runDue()).toEqual([]);
      during = () => undefined;
      expect(await (await start()).get(JobWorker).runDue()).toHaveLength(2);
    });
  });

  describe('A schedule', () => {
    const at = (time: string) => {
      const ms = Date.parse(time) - clock.now();
      clock.advance(ms);
    };

    it('runs at its times, in UTC, once for all processes', async () => {
      const others = [jobs, (await start()).get(JobWorker)];
      const runAll = () => Promise.all(others.map((one) => one.runDue()));
      await runAll();
      expect(log).toEqual([]);
      at('2026-03-14T12:59:59.999Z');
      await runAll();
      expect(log).toEqual([]);
      at('2026-03-14T13:00:00.000Z');
      await runAll();
      await runAll();
      expect(log).toEqual(['count']);
      at('2026-03-14T23:59:59.000Z');
      await runAll();
      log = [];
      at('2026-03-15T00:00:00.000Z');
      await runAll();
      expect([...log].sort()).toEqual(['close', 'count']);
    });

    it('runs its first time once, also when another process is slow to store it', async () => {
      const { database } = temporary;
      const slow = await start();
      const query = (sql: string) => database.run((within) => database.session(within).query(sql));
      await query('DELETE FROM job_schedules');
      for (const one of [app, slow]) one.get(JobSchedules)['nextMs'].clear();
      let isFirst = true;
      const runFirst = async () => {
        await jobs.runDue();
        at('2026-03-14T13:00:00.000Z');
        await jobs.runDue();
        isFirst = false;
      };
      const wait = "SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory'";
      const isWaiting = async () => database.dialect === 'sqlite' || (await query(wait)).length > 0;
      let first: Promise<void> | undefined;
      // On a connection of its own, as another process has.
      const store = new JobStore({ background: database } as Database);
      Object.assign(slow.get(JobSchedules), { store });
      const save = store.saveSchedule.bind(store);
      jest.spyOn(store, 'saveSchedule').mockImplementation(async (schedule, transaction) => {
        // Another process, so outside this unit of work.
        first ??= new Promise(setImmediate).then(runFirst);
        while (isFirst && !(await isWaiting())) await new Promise(setImmediate);
        return save(schedule, transaction);
      });
      const slowly = slow.get(JobWorker);

      await slowly.runDue();
      await first;
      await slowly.runDue();
      expect(log).toEqual(['count']);
    });

    it('runs once for all times that were missed', async () => {
      at('2026-03-16T12:30:00.000Z');
      await (await start()).get(JobWorker).runDue();

      expect([...log].sort()).toEqual(['close', 'count']);
      log = [];
      at('2026-03-16T13:00:00.000Z');
      await jobs.runDue();
      expect(log).toEqual(['count']);
    });

    it('leaves out a time at which the run before has not ended', async () => {
      during = () => {
        throw new Error('the bell is broken');
      };
      at('2026-03-14T13:00:00.000Z');
      expect(await jobs.runDue()).toContainEqual(
        expect.objectContaining({ kind: 'visits.count', state: 'delayed' }),
      );
      const [counted] = await app.get(JobAdmin).list({ kind: 'visits.count', limit: 1 });
      await app.get(JobAdmin).cancel(counted!.id);
      let release!: () => void;
      during = () => new Promise<void>((resolve) => (release = resolve));
      at('2026-03-14T14:00:00.000Z');
      const running = jobs.runDue();
      while (log.length < 2) await new Promise(setImmediate);
      at('2026-03-14T15:00:00.000Z');
      await app.get(JobWorker)['step']();
      expect(log).toEqual(['count', 'count']);
      expect(await states('visits.count')).toEqual(['cancelled', 'running']);
      release();
      await running;
    });

    it('does not run a time again when the clock is set back', async () => {
      at('2026-03-14T13:00:00.000Z');
      await jobs.runDue();
      at('2026-03-14T12:59:50.000Z');
      await jobs.runDue();
      at('2026-03-14T13:00:30.000Z');
      await (await start()).get(JobWorker).runDue();
      expect(log).toEqual(['count']);
    });

    it('does not wait for days until a clock that was wrong catches up', async () => {
      at('2026-04-14T13:00:00.000Z');
      await jobs.runDue();
      at('2026-03-14T13:30:00.000Z');
      const all = [jobs, (await start()).get(JobWorker)];
      for (const one of all) await one.runDue();
      log = [];
      at('2026-03-14T14:00:00.000Z');
      for (const one of all) await one.runDue();
      expect(log).toEqual(['count']);
    });

    it('runs what was due before a release that changes it', async () => {
      @Job('visits.count')
      @Every('6h')
      class CountVisitsLess extends CountVisits {}
      at('2026-03-14T13:10:00.000Z');
      const released = (await start([CountVisitsLess])).get(JobWorker);
      await released.runDue();
      expect(log).toEqual(['count']);
      at('2026-03-14T14:00:00.000Z');
      await released.runDue();
      expect(log).toEqual(['count']);
      at('2026-03-14T18:00:00.000Z');
      await released.runDue();
      expect(log).toEqual(['count', 'count']);
    });
  });

  it.each([
    ['attempts', { attempts: 0 }, 'The attempts of "visits.miscount" must be 1 to 1000.'],
    ['concurrency', { concurrency: 0.5 }, 'The concurrency of "visits.miscount" must be at least 1.'],
    ['limit', { limitMs: 3_000_000_000 }, 'The times of "visits.miscount" must be'],
    [
      'back-off',
      { backOffMs: (failed: number) => 2 ** (failed * 10) },
      'The times of "visits.miscount" must be',
    ],
  ])('refuses at the start a %s by which no job could run', async (_option, options, message) => {
    @Job('visits.miscount', options)
    class Miscount extends CountVisits {}

    await expect(start([Miscount])).rejects.toThrow(message);
  });

  it('refuses at the start a schedule of a class that runs no jobs', async () => {
    @Injectable()
    @Every('1h')
    class Misplaced {}

    await expect(start([Misplaced])).rejects.toThrow('Misplaced has a schedule, but is no @Job().');
  });

  it('counts what has not ended, and how long the oldest job waits', async () => {
    during = () => {
      throw new Error('the bell is broken');
    };
    await announce(booked(1n));
    await jobs.runDue();
    clock.advance(10_000);
    await announce(booked(2n));
    await announce(booked(3n));
    clock.advance(6 * MINUTE);
    const worker = app.get(JobWorker);

    const counts = (await worker.counts()).filter(([kind]) => kind === 'visits.remind');
    expect(counts.map(([, state, count]) => [state, count])).toEqual([
      ['waiting', 2],
      ['delayed', 1],
      ['running', 0],
      ['failed', 0],
    ]);
    expect(await worker.oldestWaiting()).toContainEqual(['visits.remind', 360]);
    expect(await worker.oldestWaiting()).toContainEqual(['visits.notify', 0]);
    await jobs.runDue();
    expect(worker.state).toBe('late');
    await jobs.runDue();
    expect(worker.state).toBe('up');
  });

  it('counts jobs of kinds that no class runs any more, too', async () => {
    const sql = `INSERT INTO jobs (kind, subject, payload, state, tries, tries_left, due_at, created_at, ended_at)
      VALUES ('a.gone', '-', '1', 'waiting', 0, 1, ${clock.now() - 5_000}, 0, NULL), ('z.gone', '-', '1', 'failed', 1, 0, 1, 0, 2)`;
    const { database } = temporary;
    await database.run((transaction) => database.session(transaction).query(sql));
    const worker = app.get(JobWorker);

    const counts = await worker.counts();
    expect(counts).toContainEqual(['a.gone', 'waiting', 1]);
    expect(counts).toContainEqual(['z.gone', 'failed', 1]);
    expect(counts).toContainEqual(['visits.notify', 'failed', 0]);
    expect(await worker.oldestWaiting()).toContainEqual(['a.gone', 5]);
  });

  it('Ended jobs are removed after a day, but those that failed', async () => {
    during = (job) => {
      if (job.includes(' 1 ')) throw new Error('the bell is broken');
    };
    for (const visit of [1n, 2n, 3n]) await announce(booked(visit));
    await app.get(JobAdmin).cancel(3n);
    for (let attempts = 0; attempts < 3; attempts++, clock.advance(10 * MINUTE)) await jobs.runDue();
    expect(await states('visits.remind')).toEqual(['failed', 'done', 'cancelled']);
    clock.advance(DAY_MS - HOUR);
    await jobs.runDue();
    expect(await states('visits.remind')).toEqual(['failed', 'done', 'cancelled']);
    clock.advance(HOUR);
    await jobs.runDue();
    expect(await states('visits.remind')).toEqual(['failed']);
  });
});
