import { Logger } from '@nestjs/common';
import { Batcher, LineLimit } from '@animal-store/kernel';
import type { ClaimedJob, Lease } from './infrastructure/job-claims.js';
import { type JobStore, type Outcome, wholeMs } from './infrastructure/job-store.js';
import { payloadOf } from './infrastructure/payload.js';
import type { RunAgain } from './job.decorator.js';
import type { JobKind } from './job-kinds.js';
import type { JobTime } from './schedules/job-time.js';

const MAX_PROBLEM = 1_000;
const STORED_AGAIN_AFTER_MS = 500;
/** However many jobs of a kind fail, the log has a line for them in this time. */
const LINE_EVERY_MS = 10_000;

interface Run {
  readonly kind: JobKind;
  readonly job: ClaimedJob;
  readonly abort: AbortController;
  /** By the monotonic clock: at the latest when it ends in the database. */
  leaseEndsMs: number;
  /** Runs out when the lease is about to end. */
  timer?: NodeJS.Timeout;
  ended: Promise<void>;
}

interface Ended {
  readonly outcome: Outcome;
  /** Whether it runs again when it was added again. */
  readonly isOnce: boolean;
}

/** A job that a test has run. */
export interface RanJob {
  readonly kind: string;
  readonly state: Outcome['state'];
  readonly problem: string | null;
}

/** What aborts a job at a shutdown: the attempt does not count. */
class Stopped extends Error {
  constructor() {
    super('The server stops.');
  }
}

/** The jobs that this process runs: their leases, signals and results. */
export class JobRuns {
  /** How long the leases of a killed worker last. Tests make it shorter. */
  leaseMs = 30_000;
  /** What has run since a test has set it. */
  ran: RanJob[] | null = null;
  private readonly running = new Map<bigint, Run>();
  private isStopped = false;
  private readonly outcomes: Batcher<Ended, undefined>;
  /** The log lines by kind and state. */
  private readonly lines: LineLimit;
  private readonly logger = new Logger('Jobs');

  /** @param onEnd called when a job has ended */
  constructor(
    private readonly store: JobStore,
    private readonly time: JobTime,
    private readonly onEnd: (kind: JobKind) => void,
  ) {
    this.lines = new LineLimit(LINE_EVERY_MS, time);
    this.outcomes = new Batcher(
      async (ended: readonly Ended[]) => {
        const once = ended.flatMap(({ outcome, isOnce }) => (isOnce ? [outcome.id] : []));
        await store.end(
          ended.map(({ outcome }) => outcome),
          once,
        );
        return ended.map(() => undefined);
      },
      { max: 100, atOnce: 1 },
    );
  }

  /** A lease that begins now. */
  get lease(): Lease {
    return { nowMs: this.time.leaseNowMs(), leaseMs: this.leaseMs };
  }

  get ids(): bigint[] {
    return [...this.running.keys()];
  }

  countOf(kind: string): number {
    return [...this.running.values()].filter(({ job }) => job.kind === kind).length;
  }

  /** @param leaseStartMs by the monotonic clock: when it was claimed, or before */
  begin(kind: JobKind, job: ClaimedJob, leaseStartMs: number): void {
    const leaseEndsMs = leaseStartMs + this.leaseMs;
    // The database may have responded late, so that another worker has it by now.
    if (this.hasLeaseEnded(leaseEndsMs)) return;
    const run: Run = { kind, job, abort: new AbortController(), leaseEndsMs, ended: Promise.resolve() };
    this.running.set(job.id, run);
    // A job that was claimed during the shutdown is released unchanged.
    if (this.isStopped) run.abort.abort(new Stopped());
    this.watch(run);
    run.ended = this.run(run).finally(() => {
      clearTimeout(run.timer);
      if (this.isOwn(run)) this.running.delete(job.id);
      this.onEnd(kind);
    });
  }

  /** Extends the leases after a third of their time. */
  async extend(): Promise<void> {
    const nowMs = this.time.monotonicMs();
    const leased = [...this.running.values()];
    for (const run of leased) this.watch(run);
    if (leased.every(({ leaseEndsMs }) => leaseEndsMs - nowMs > (2 / 3) * this.leaseMs)) return;
    const { claims, database } = this.store;
    const ids = leased.map(({ job }) => job.id);
    const endsMs = nowMs + this.leaseMs;
    const extended = await database.run((within) => claims.extend(ids, this.lease, within));
    const attempts = new Map(extended.map((job) => [job.id, job.attempts]));
    for (const run of leased) {
      run.leaseEndsMs = attempts.get(run.job.id) === run.job.attempts ? endsMs : -Infinity;
      this.watch(run);
    }
  }

  /** Stops the job when its lease is about to end, so that it has ended when another worker may run it. */
  private watch(run: Run): void {
    clearTimeout(run.timer);
    if (this.hasLeaseEnded(run.leaseEndsMs)) return run.abort.abort(new Error('Its lease has expired.'));
    const leftMs = run.leaseEndsMs - this.settleMs - this.time.monotonicMs();
    if (this.isOwn(run)) run.timer = setTimeout(() => this.watch(run), Math.ceil(leftMs)).unref();
  }

  /** Stops all: they run elsewhere. */
  stop(): void {
    this.isStopped = true;
    for (const { abort } of this.running.values()) abort.abort(new Stopped());
  }

  async allEnded(): Promise<void> {
    while (this.running.size > 0) await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  /** Stops tracking running jobs: their results are neither stored nor logged. @returns their names */
  abandon(): string[] {
    const names = [...this.running.values()].map(({ job }) => `${job.kind} ${job.id}`);
    this.running.clear();
    return names;
  }

  /** Whether the run still has its job: it was not abandoned, and the job has not begun again after a lost lease. */
  private isOwn(run: Run): boolean {
    return this.running.get(run.job.id) === run;
  }

  private hasLeaseEnded(leaseEndsMs: number): boolean {
    return leaseEndsMs - this.settleMs <= this.time.monotonicMs();
  }

  /** How long a job may run after its signal. */
  private get settleMs(): number {
    return this.leaseMs / 6;
  }

  /** Never rejects. */
  private async run(run: Run): Promise<void> {
    const outcome = await this.attempt(run);
    const { kind, state, problem, id } = { ...run.job, ...outcome };
    this.ran?.push({ kind, state, problem });
    while (this.isOwn(run)) {
      try {
        return await this.outcomes.add({ outcome, isOnce: run.kind.subjects === 'one job' });
      } catch (error) {
        if (run.leaseEndsMs - this.time.monotonicMs() < STORED_AGAIN_AFTER_MS) {
          const what = `That ${kind} ${id} is ${state} could not be stored, so it is run again`;
          return this.report('error', run, 'unknown', what, error);
        }
        await new Promise((resolve) => setTimeout(resolve, STORED_AGAIN_AFTER_MS).unref());
      }
    }
  }

  private async attempt(run: Run): Promise<Outcome> {
    const { kind, job, abort } = run;
    const { id, attempts, attemptsLeft } = job;
    const { limitMs, handler } = kind;
    const late = new Error(`It took more than ${limitMs} ms.`);
    const timer = setTimeout(() => abort.abort(late), limitMs).unref();
    const outcome = (state: Outcome['state'], problem: string | null, more?: Partial<Outcome>): Outcome => {
      const dueAtMs = this.time.now();
      return { id, attempts, attemptsLeft, state, problem, dueAtMs, endedAtMs: null, ...more };
    };
    const endedAtMs = () => ({ endedAtMs: this.time.now() });
    const later = (inMs: number) => ({ dueAtMs: this.time.now() + inMs });
    const uncounted = { attemptsLeft: attemptsLeft + 1 };
    try {
      abort.signal.throwIfAborted();
      const work = () => handler.run(payloadOf(job.payload), abort.signal);
      // Handlers may return anything, such as the untyped rows of TypeORM's `query()`.
      const returned = (await settled(work, abort.signal, this.settleMs)) as
        Partial<RunAgain> | null | undefined;
      return returned?.inMs === undefined
        ? outcome('done', null, endedAtMs())
        : outcome('delayed', null, { ...uncounted, ...later(wholeMs(returned.inMs)) });
    } catch (error) {
      if (abort.signal.reason instanceof Stopped) return outcome('waiting', null, uncounted);
      const problem = problemOf(abort.signal.aborted ? abort.signal.reason : error);
      if (attemptsLeft === 0) {
        this.report('error', run, 'failed', `${job.kind} ${id} has failed: ${problem}`, error);
        return outcome('failed', problem, endedAtMs());
      }
      const failed = Math.max(1, kind.attempts - attemptsLeft);
      const delayMs = Math.round(kind.backOffMs(failed) * (0.75 + Math.random() / 2));
      const again = `${job.kind} ${id} is retried in ${Math.ceil(delayMs / 1_000)} s: ${problem}`;
      this.report('warn', run, 'delayed', again);
      return outcome('delayed', problem, later(delayMs));
    } finally {
      clearTimeout(timer);
    }
  }

  private report(level: 'warn' | 'error', run: Run, state: string, what: string, error?: unknown): void {
    if (!this.isOwn(run)) return;
    const count = this.lines.count(`${run.job.kind} ${state}`);
    if (count === null) return;
    const others = count > 1 ? ` ${count - 1} others since the last line.` : '';
    this.logger[level](what + others, ...(error === undefined ? [] : [error]));
  }
}

/** The message without the characters that PostgreSQL does not store. */
function problemOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, MAX_PROBLEM).replaceAll('\0', '\ufffd');
}

/** Resolves when `work` is done. After its signal it has a moment to end. */
function settled<T>(work: () => Promise<T>, signal: AbortSignal, settleMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => setTimeout(() => reject(signal.reason as Error), settleMs).unref();
    signal.addEventListener('abort', leave, { once: true });
    Promise.resolve(work()).then(resolve, reject);
  });
}
