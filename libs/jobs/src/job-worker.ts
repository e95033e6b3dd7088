import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Database } from '@animal-store/database';
import { Batcher, RepeatedTask } from '@animal-store/kernel';
import type { ClaimedJob } from './infrastructure/job-claims.js';
import { type Backlog, JobStore, type Outcome } from './infrastructure/job-store.js';
import { payloadOf } from './infrastructure/payload.js';
import { type JobKind, JobKinds } from './job-kinds.js';
import { JobSchedules } from './schedules/job-schedules.js';
import { JobTime } from './schedules/job-time.js';

const REST_MS = 1_000;
/** How long a worker that ends without a word holds what it has begun. */
const LEASE_MS = 30_000;
const EXTENDED_AFTER_MS = 10_000;
/** How long a job may go on after its signal. */
const SETTLE_MS = 5_000;
/** How long a shutdown waits for jobs after their signals. */
const STOP_MS = 1_000;
const LONGEST_PROBLEM = 1_000;
/** A waiting job is late when nobody has begun it for this time. */
const LATE_MS = 5 * 60_000;
/** So that other kinds get their turn, however many subjects are busy. */
const CLAIMS_A_STEP = 20;

interface Running {
  readonly job: ClaimedJob;
  readonly abort: AbortController;
  leaseEndsMs: number;
  readonly ended: Promise<void>;
}

/** A job that a test has run. */
export interface RanJob {
  readonly kind: string;
  readonly state: Outcome['state'];
  readonly problem: string | null;
}

/** What aborts a job at a shutdown: the try does not count. */
class Stopped extends Error {
  constructor() {
    super('The server stops.');
  }
}

/** Runs the jobs of this process. It looks for some when one is committed here, and every second. */
@Injectable()
export class JobWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly store: JobStore;
  private readonly task: RepeatedTask;
  private readonly outcomes: Batcher<Outcome, undefined>;
  private readonly running = new Map<bigint, Running>();
  /** The subject of each kind at which the next claim begins. */
  private readonly turns = new Map<string, string>();
  /** The kinds that may have more jobs than are running. */
  private readonly hasMore = new Set<string>();
  /** What `runDue` has run. */
  private ran: RanJob[] | null = null;
  private extendedAtMs = 0;
  private isWoken = false;
  private isStopping = false;
  private isFailing = false;
  private oldestMs: number | null = null;

  constructor(
    database: Database,
    private readonly kinds: JobKinds,
    private readonly schedules: JobSchedules,
    private readonly time: JobTime,
  ) {
    this.store = new JobStore(database.background);
    this.outcomes = new Batcher(
      async (outcomes) => {
        await this.store.end(outcomes);
        return outcomes.map(() => undefined);
      },
      { most: 100, atOnce: 1 },
    );
    this.task = new RepeatedTask({
      step: () => this.step(),
      restAfterFailureMs: REST_MS,
      onFailing: (cause) => {
        this.isFailing = true;
        this.logger.error('Jobs cannot be read.', cause);
      },
      onWorking: () => {
        this.isFailing = false;
        this.logger.log('Jobs can be read again.');
      },
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.kinds.all.size === 0) return;
    if (this.time.isReal) this.task.start();
    else await this.schedules.next();
  }

  /** Looks for jobs now. */
  wake(): void {
    if (this.isWoken || this.isStopping) return;
    this.isWoken = true;
    if (this.time.isReal) this.task.start();
  }

  /** `behind` when jobs wait for too long, or cannot be read. */
  get state(): 'off' | 'up' | 'behind' {
    if (this.kinds.all.size === 0) return 'off';
    const isLate = this.oldestMs !== null && this.time.now() - this.oldestMs > LATE_MS;
    return this.isFailing || isLate ? 'behind' : 'up';
  }

  /** How many jobs there are in each state in which they do not just end. */
  async counts(): Promise<[kind: string, state: string, count: number][]> {
    const kinds = [...this.kinds.all.keys()];
    const counts = await this.store.counts(kinds);
    const of = (kind: string, state: string) =>
      Number(counts.find((one) => one.kind === kind && one.state === state)?.count ?? 0);
    const states = ['waiting', 'delayed', 'running', 'failed'];
    return kinds.flatMap((kind) =>
      states.map((state): [string, string, number] => [kind, state, of(kind, state)]),
    );
  }

  /** For how many seconds the oldest waiting job of each kind has waited. */
  async oldestWaiting(): Promise<[kind: string, seconds: number][]> {
    const backlogs = await this.store.backlogs([...this.kinds.all.keys()]);
    const nowMs = this.time.now();
    return backlogs.map(({ kind, waiting }) => [
      kind,
      waiting === null ? 0 : Math.max(0, nowMs - Number(waiting)) / 1_000,
    ]);
  }

  /** Begins no more jobs, waits for those that run, and then stops them: they run elsewhere. */
  async stop(graceMs = 0): Promise<void> {
    this.isStopping = true;
    const stopped = this.task.stop().then(() => this.allEnded());
    await before(graceMs, stopped);
    for (const { abort } of this.running.values()) abort.abort(new Stopped());
    await before(STOP_MS, stopped);
    const left = [...this.running.values()].map(({ job }) => `${job.kind} ${job.id}`);
    if (left.length > 0)
      this.logger.warn(`Jobs that ignored their signal at the shutdown: ${left.join(', ')}.`);
  }

  /** Before the database closes. */
  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  /** For tests: runs what is due, and what that causes, until nothing is left. */
  async runDue(): Promise<RanJob[]> {
    const ran: RanJob[] = (this.ran = []);
    do {
      await this.step();
      await this.allEnded();
    } while (this.isWoken);
    return ran;
  }

  private async allEnded(): Promise<void> {
    while (this.running.size > 0) await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  /** @returns how long to rest */
  private async step(): Promise<number> {
    this.isWoken = false;
    this.leaveLost();
    await this.extend();
    const backlogs = await this.store.backlogs([...this.kinds.all.keys()]);
    const said = backlogs[0]?.nowMs ?? null;
    if (said !== null) this.time.set(Number(said));
    const scheduled = await this.schedules.next();
    if (scheduled.hasAdded) this.isWoken = true;
    const nowMs = this.time.now();
    const waiting: number[] = [];
    let nextMs = Math.min(scheduled.nextMs, nowMs + REST_MS);
    for (const backlog of backlogs) {
      if (backlog.waiting !== null) waiting.push(Number(backlog.waiting));
      await this.work(this.kinds.all.get(backlog.kind)!, backlog, nowMs);
      if (backlog.delayed !== null) nextMs = Math.min(nextMs, Number(backlog.delayed));
    }
    this.oldestMs = waiting.length === 0 ? null : Math.min(...waiting);
    return this.isWoken ? 0 : Math.max(0, nextMs - nowMs);
  }

  private async work(kind: JobKind, { waiting, delayed, running }: Backlog, nowMs: number): Promise<void> {
    const { database, claims } = this.store;
    const isDue = (at: bigint | null) => at !== null && at <= nowMs;
    let released = 0;
    if (isDue(delayed)) released = await database.run((within) => claims.release(kind.kind, nowMs, within));
    if (isDue(running)) {
      const own = [...this.running.keys()];
      const lost = await database.run((within) => claims.reclaim(kind.kind, nowMs, own, within));
      released += lost.length;
      for (const job of lost) this.logger.warn(`The worker of ${job.kind} ${job.id} has ended.`);
    }
    if (waiting !== null || released > 0) await this.claim(kind, nowMs);
  }

  private async claim({ kind, subjects, concurrency }: JobKind, nowMs: number): Promise<void> {
    const { claims, database } = this.store;
    const busy = [...this.running.values()].filter(({ job }) => job.kind === kind).length;
    let limit = concurrency - busy;
    const first = this.turns.get(kind) ?? '';
    let after = first;
    let isFirstRound = first !== '';
    for (let claim = 0; limit > 0 && claim < CLAIMS_A_STEP && !this.isStopping; claim++) {
      const leaseEndsMs = this.time.monotonicMs() + LEASE_MS;
      const wanted = { kind, subjects, limit, untilMs: nowMs + LEASE_MS, after };
      const claimed = await database.run((transaction) => claims.take(wanted, transaction));
      for (const job of claimed.jobs) this.begin(job, leaseEndsMs);
      limit -= claimed.jobs.length;
      after = claimed.after;
      this.turns.set(kind, after);
      // The subjects before the first one have had their turn last.
      if (limit > 0 && after === '' && !isFirstRound) return;
      if (after === '') isFirstRound = false;
    }
    this.hasMore.add(kind);
  }

  private begin(job: ClaimedJob, leaseEndsMs: number): void {
    const kind = this.kinds.all.get(job.kind)!;
    const abort = new AbortController();
    const ended = this.run(kind, job, abort).finally(() => {
      this.running.delete(job.id);
      if (this.hasMore.delete(job.kind) || kind.subjects !== 'together') this.wake();
    });
    this.running.set(job.id, { job, abort, leaseEndsMs, ended });
  }

  /** Never rejects. */
  private async run(kind: JobKind, job: ClaimedJob, abort: AbortController): Promise<void> {
    const outcome = await this.attempt(kind, job, abort);
    this.ran?.push({ kind: job.kind, state: outcome.state, problem: outcome.problem });
    try {
      await this.outcomes.add(outcome);
    } catch (error) {
      // Its lease ends, so it is run again.
      this.logger.error(`That ${job.kind} ${job.id} is ${outcome.state} could not be stored.`, error);
    }
  }

  private async attempt(kind: JobKind, job: ClaimedJob, abort: AbortController): Promise<Outcome> {
    const { id, tries, triesLeft } = job;
    const { limitMs, handler } = kind;
    const late = new Error(`It took more than ${limitMs} ms.`);
    const timer = setTimeout(() => abort.abort(late), limitMs).unref();
    const outcome = (state: Outcome['state'], problem: string | null, more?: Partial<Outcome>): Outcome => {
      const dueAtMs = this.time.now();
      return { id, tries, triesLeft, state, problem, dueAtMs, endedAtMs: null, ...more };
    };
    const endedAtMs = () => ({ endedAtMs: this.time.now() });
    try {
      await settled(handler.run(payloadOf(job.payload), abort.signal), abort.signal);
      return outcome('done', null, endedAtMs());
    } catch (error) {
      if (abort.signal.reason instanceof Stopped)
        return outcome('waiting', null, { triesLeft: triesLeft + 1 });
      const problem = problemOf(abort.signal.aborted ? abort.signal.reason : error);
      if (triesLeft === 0) {
        this.logger.error(`${job.kind} ${id} has failed: ${problem}`, error);
        return outcome('failed', problem, endedAtMs());
      }
      const delayMs = Math.round(kind.backOffMs(tries) * (0.75 + Math.random() / 2));
      this.logger.warn(`${job.kind} ${id} is tried again in ${Math.ceil(delayMs / 1_000)} s: ${problem}`);
      return outcome('delayed', problem, { dueAtMs: this.time.now() + delayMs });
    } finally {
      clearTimeout(timer);
    }
  }

  private async extend(): Promise<void> {
    const nowMs = this.time.monotonicMs();
    if (this.running.size === 0 || nowMs - this.extendedAtMs < EXTENDED_AFTER_MS) return;
    const { database, claims } = this.store;
    const held = [...this.running.values()];
    const ids = held.map(({ job }) => job.id);
    const untilMs = this.time.now() + LEASE_MS;
    const extended = await database.run((within) => claims.extend(ids, untilMs, within));
    const tries = new Map(extended.map((job) => [job.id, job.tries]));
    for (const one of held) {
      if (tries.get(one.job.id) === one.job.tries) one.leaseEndsMs = nowMs + LEASE_MS;
      else one.leaseEndsMs = -Infinity;
    }
    this.extendedAtMs = nowMs;
    this.leaveLost();
  }

  /** Stops the jobs whose leases have ended: another worker may run them. */
  private leaveLost(): void {
    const nowMs = this.time.monotonicMs();
    for (const { abort, leaseEndsMs } of this.running.values())
      if (leaseEndsMs <= nowMs) abort.abort(new Error('Its lease has ended.'));
  }
}

function problemOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_PROBLEM);
}

/** Resolves after this time, or when `work` is done. */
async function before(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout;
  const over = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}

/** What `work` results in. After its signal it has a moment to end. */
function settled(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => setTimeout(() => reject(signal.reason as Error), SETTLE_MS).unref();
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    Promise.resolve(work).then(resolve, reject);
  });
}
