import { Logger } from '@nestjs/common';
import { FakeClock } from '@animal-store/kernel/testing';
import type { JobKind } from './job-kinds.js';
import { JobRuns } from './job-runs.js';
import { JobTime } from './schedules/job-time.js';
import type { ClaimedJob } from './infrastructure/job-claims.js';
import type { JobStore, Outcome } from './infrastructure/job-store.js';

const LEASE_MS = 30_000;
/** Before the end of its lease, so that a job has ended by then. */
const STOPPED_AFTER_MS = 25_000;

describe('JobRuns', () => {
  let clock: FakeClock;
  let runs: JobRuns;
  /** What each job does, until it gets its signal. */
  let work: (signal: AbortSignal) => Promise<unknown>;
  let signals: AbortSignal[];
  let stored: { outcome: Outcome; isOnce: boolean }[];
  let isStoreAway: boolean;
  /** What the database says of the jobs whose leases are extended. */
  let extended: ClaimedJob[];
  let logged: Record<'warn' | 'error', jest.SpyInstance>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
    clock = new FakeClock();
    signals = [];
    stored = [];
    extended = [];
    isStoreAway = false;
    work = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('It was stopped.')));
      });
    logged = {
      warn: jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined),
      error: jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined),
    };
    const store = {
      claims: { extend: async () => extended },
      database: { run: (extend: (transaction: unknown) => Promise<unknown>) => extend({}) },
      end: async (outcomes: readonly Outcome[], once: readonly bigint[]) => {
        if (isStoreAway) throw new Error('The store is away.');
        stored.push(...outcomes.map((outcome) => ({ outcome, isOnce: once.includes(outcome.id) })));
      },
    };
    runs = new JobRuns(store as unknown as JobStore, new JobTime(clock), () => undefined);
  });

  afterEach(async () => {
    runs.abandon();
    await pass(0);
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  const kindOf = (kind: string, options: Partial<JobKind> = {}): JobKind => ({
    kind,
    on: [],
    concurrency: 5,
    subjects: 'together',
    attempts: 3,
    limitMs: 600_000,
    backOffMs: (failed) => failed * 60_000,
    schedule: null,
    handler: {
      run: async (_, signal) => {
        signals.push(signal);
        await work(signal);
      },
    },
    ...options,
  });
  const jobOf = (id: bigint, attemptsLeft = 2): ClaimedJob =>
    ({ id, kind: 'visits.remind', attempts: 1, attemptsLeft, payload: '1' }) as ClaimedJob;

  function begin(job: ClaimedJob, kind = kindOf('visits.remind')): void {
    runs.begin(kind, job, clock.monotonicMs());
  }

  /** Advances the clock, and then the timers. */
  async function pass(ms: number, timersMs = ms): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
    clock.advance(ms);
    await jest.advanceTimersByTimeAsync(timersMs);
    for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
  }

  describe('The lease of a job', () => {
    it('is extended after a third of it, each time for as long', async () => {
      extended = [jobOf(1n)];
      begin(jobOf(1n));
      for (let times = 0; times < 6; times++) {
        await pass(LEASE_MS / 2);
        await runs.extend();
      }
      expect(signals[0]!.aborted).toBe(false);

      await pass(STOPPED_AFTER_MS - 1);
      expect(signals[0]!.aborted).toBe(false);
      await pass(1);
      expect(signals[0]!.reason).toEqual(new Error('Its lease has expired.'));
    });

    it('ends its signal in time, when the database cannot be asked', async () => {
      begin(jobOf(1n));
      await pass(STOPPED_AFTER_MS - 1);
      expect(signals[0]!.aborted).toBe(false);
      await pass(1);

      expect(signals[0]!.aborted).toBe(true);
      expect(stored).toMatchObject([{ outcome: { state: 'delayed', problem: 'Its lease has expired.' } }]);
    });

    it.each<[string, ClaimedJob[]]>([
      ['no process', []],
      ['another process', [{ ...jobOf(1n), attempts: 2 }]],
    ])('ends its signal at once when %s has it', async (_, jobs) => {
      extended = [...jobs, jobOf(2n)];
      begin(jobOf(1n));
      begin(jobOf(2n));
      await pass(LEASE_MS / 2);
      await runs.extend();

      expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    });
  });

  it('counts the running jobs of each kind', async () => {
    begin(jobOf(1n));
    begin({ ...jobOf(2n), kind: 'visits.write' }, kindOf('visits.write'));

    expect(runs.countOf('visits.remind')).toBe(1);
    expect(runs.countOf('visits.write')).toBe(1);
  });

  it('stops a job after its time, and leaves one that does not end by then to itself', async () => {
    work = () => new Promise(() => undefined);
    begin(jobOf(1n), kindOf('visits.remind', { limitMs: 1_000 }));
    await pass(1_000);
    expect(signals[0]!.aborted).toBe(true);
    expect(stored).toEqual([]);
    await pass(LEASE_MS / 6);

    const problem = 'It took more than 1000 ms.';
    expect(stored).toMatchObject([{ outcome: { state: 'delayed', problem } }]);
  });

  it('waits after a failure for as long as its kind says of so many, at most a quarter more or less', async () => {
    work = () => Promise.reject(new Error('the bell is broken'));
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    // An operator has given it more attempts than its kind has.
    for (const [index, left] of [5, 2, 1].entries()) begin(jobOf(BigInt(index), left));
    await pass(0);

    const waits = stored.map(({ outcome }) => (outcome.dueAtMs - clock.now()) / 60_000);
    expect(waits).toEqual([1, 1, 2]);
    expect(logged.warn.mock.calls).toEqual([['visits.remind 0 is retried in 60 s: the bell is broken']]);
  });

  it('has a line with the reason for the first job of a kind that has failed, beside those that are retried', async () => {
    const reason = new Error('the bell is broken');
    work = () => Promise.reject(reason);
    begin(jobOf(1n, 1));
    begin(jobOf(2n, 0));
    begin(jobOf(3n, 0));
    begin({ ...jobOf(4n, 0), kind: 'visits.write' }, kindOf('visits.write'));
    await pass(0);

    expect(logged.warn).toHaveBeenCalledTimes(1);
    expect(logged.error.mock.calls).toEqual([
      ['visits.remind 2 has failed: the bell is broken', reason],
      ['visits.write 4 has failed: the bell is broken', reason],
    ]);
  });

  describe('A result that cannot be stored', () => {
    beforeEach(async () => {
      work = () => Promise.resolve();
      isStoreAway = true;
    });

    it('is stored again each half second', async () => {
      begin(jobOf(1n));
      begin(jobOf(2n), kindOf('visits.remind', { subjects: 'one job' }));
      await pass(1_400);
      expect(runs.ids).toEqual([1n, 2n]);
      isStoreAway = false;
      await pass(100);

      expect(runs.ids).toEqual([]);
      expect(stored.map(({ outcome, isOnce }) => [outcome.id, outcome.state, isOnce])).toEqual([
        [1n, 'done', false],
        [2n, 'done', true],
      ]);
    });

    it('is given up when the lease is about to end, as the job then runs again', async () => {
      begin(jobOf(1n));
      await pass(500);
      await pass(LEASE_MS - 1_000, 500);
      expect(runs.ids).toEqual([1n]);
      await pass(1, 500);

      expect(runs.ids).toEqual([]);
      expect(logged.error.mock.calls).toEqual([
        [
          'That visits.remind 1 is done could not be stored, so it is run again',
          new Error('The store is away.'),
        ],
      ]);
    });
  });
});
