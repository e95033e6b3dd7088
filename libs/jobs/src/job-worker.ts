import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { RepeatedTask, type Transaction } from '@animal-store/kernel';
import type { ClaimedJob } from './infrastructure/job-claims.js';
import { type Backlog, JobStore } from './infrastructure/job-store.js';
import { type JobKind, JobKinds } from './job-kinds.js';
import { JobRuns, type RanJob } from './job-runs.js';
import { JobSchedules } from './schedules/job-schedules.js';
import { JobTime } from './schedules/job-time.js';

const DELAY_MS = 1_000;
/** How long a shutdown waits after it has aborted the signals. */
const STOP_MS = 1_000;
/** A waiting job is late after this time. */
const LATE_MS = 5 * 60_000;
const NONE: readonly ClaimedJob[] = [];

/** What may be done with the jobs of a kind. */
interface Step {
  readonly kind: JobKind;
  readonly mayRelease: boolean;
  readonly mayReclaim: boolean;
}

/** Runs the jobs of this process. It polls when one is committed here, and every second. */
@Injectable()
export class JobWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly task: RepeatedTask;
  private readonly runs: JobRuns;
  /** The kinds that may have more jobs than are running. */
  private readonly hasMore = new Set<string>();
  private isWoken = false;
  private isStopping = false;
  private isFailing = false;
  private oldestMs: number | null = null;

  constructor(
    private readonly store: JobStore,
    private readonly kinds: JobKinds,
    private readonly schedules: JobSchedules,
    private readonly time: JobTime,
  ) {
    this.runs = new JobRuns(store, time, ({ kind, subjects }) => {
      if (this.hasMore.delete(kind) || subjects !== 'together') this.wake();
    });
    this.task = new RepeatedTask({
      step: () => this.step(),
      delayAfterFailureMs: DELAY_MS,
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
    if (!this.time.isReal) return void (await this.schedules.next());
    this.task.start();
  }

  /** Polls now. */
  wake(): void {
    if (this.isWoken || this.isStopping) return;
    this.isWoken = true;
    if (this.time.isReal) this.task.start();
  }

  /** `late` when jobs wait for too long, or cannot be read. */
  get state(): 'up' | 'late' {
    const isLate = this.oldestMs !== null && this.time.now() - this.oldestMs > LATE_MS;
    return this.isFailing || isLate ? 'late' : 'up';
  }

  /** How many jobs there are in each state in which they do not just end. */
  async counts(): Promise<[kind: string, state: string, count: number][]> {
    const counts = await this.store.counts(await this.allKinds());
    return counts.map(({ kind, state, count }) => [kind, state, Number(count)]);
  }

  /** For how many seconds the oldest waiting job of each kind has waited. */
  async oldestWaiting(): Promise<[kind: string, seconds: number][]> {
    const backlogs = await this.store.backlogs(await this.allKinds());
    const nowMs = this.time.now();
    return backlogs.map(({ kind, waiting }) => [
      kind,
      waiting === null ? 0 : Math.max(0, nowMs - Number(waiting)) / 1_000,
    ]);
  }

  /** The kinds of all jobs, also those that no class of this release runs. */
  private async allKinds(): Promise<string[]> {
    return [...new Set([...this.kinds.all.keys(), ...(await this.store.kinds())])];
  }

  /** Begins no more jobs, waits for those that run, and then stops them: they run elsewhere. */
  async stop(graceMs = 0): Promise<void> {
    this.isStopping = true;
    // Jobs that are being claimed still start. The leases of running ones are still renewed.
    const ended = this.task.run().then(() => this.runs.allEnded());
    await before(graceMs, ended);
    this.runs.stop();
    await before(STOP_MS, Promise.all([ended, this.task.stop()]));
  }

  /** The database closes next. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
    const names = this.runs.abandon();
    if (names.length > 0)
      this.logger.warn(`Jobs still running after the shutdown's abort signal: ${names.join(', ')}.`);
  }

  /** For tests: runs what is due, and what that causes, until nothing is left. */
  async runDue(): Promise<RanJob[]> {
    const ran: RanJob[] = (this.runs.ran = []);
    do {
      await this.step();
      await this.runs.allEnded();
    } while (this.isWoken);
    return ran;
  }

  /** @returns the delay before the next step */
  private async step(): Promise<number> {
    this.isWoken = false;
    const requestedAtMs = this.time.monotonicMs();
    const backlogs = await this.store.backlogs([...this.kinds.all.keys()]);
    const databaseMs = backlogs[0]?.nowMs ?? null;
    if (databaseMs !== null) this.time.set(Number(databaseMs), requestedAtMs);
    await this.runs.extend();
    if (this.isStopping) return DELAY_MS;
    const scheduled = await this.schedules.next();
    if (scheduled.hasAdded) this.isWoken = true;
    const nowMs = this.time.now();
    const waiting = backlogs.flatMap((backlog) =>
      backlog.waiting === null ? [] : [Number(backlog.waiting)],
    );
    this.oldestMs = waiting.length === 0 ? null : Math.min(...waiting);
    const nextMs = Math.min(scheduled.nextMs, nowMs + DELAY_MS, await this.work(backlogs, nowMs));
    return this.isWoken ? 0 : Math.max(0, nextMs - nowMs);
  }

  /** @returns when there may be more to do */
  private async work(backlogs: readonly Backlog[], nowMs: number): Promise<number> {
    const isDue = (at: bigint | null) => at !== null && at <= nowMs;
    // After a jump of the clock, by which all leases seem to have expired, those that are alive have extended theirs or
    // stopped before a whole lease has passed, whether they reach the database or not.
    const isSteady = this.time.isSteadyFor(this.runs.leaseMs);
    const steps = backlogs
      .map(({ kind, waiting, delayed, running }) => ({
        kind: this.kinds.all.get(kind)!,
        mayRelease: isDue(delayed),
        mayReclaim: isSteady && isDue(running),
        isWaiting: waiting !== null,
      }))
      .filter(({ mayRelease, mayReclaim, isWaiting }) => mayRelease || mayReclaim || isWaiting);
    const hasReleased = steps.length > 0 && (await this.claim(steps, nowMs));
    if (hasReleased) return nowMs;
    // Other workers may have locked due jobs.
    const later = backlogs.flatMap(({ delayed }) =>
      delayed === null || isDue(delayed) ? [] : [Number(delayed)],
    );
    return Math.min(Infinity, ...later);
  }

  /** Claims the jobs of all kinds in one transaction, and begins them after it. @returns whether some were delayed */
  private async claim(steps: readonly Step[], nowMs: number): Promise<boolean> {
    let leaseStartMs = 0;
    let hasReleased = false;
    const results = await this.store.database.run((within) => {
      leaseStartMs = this.time.monotonicMs();
      return Promise.all(steps.map((step) => this.claimOf(step, nowMs, within)));
    });
    for (const { kind, released, reclaimed, claimed, isFull } of results) {
      if (reclaimed > 0)
        this.logger.warn(`The leases of ${reclaimed} jobs ${kind.kind} have expired; they run again.`);
      for (const job of claimed) this.runs.begin(kind, job, leaseStartMs);
      if (isFull) this.hasMore.add(kind.kind);
      hasReleased ||= released > 0;
    }
    return hasReleased;
  }

  /** The statements are sent together, and run in this order. */
  private async claimOf({ kind, mayRelease, mayReclaim }: Step, nowMs: number, within: Transaction) {
    const { claims } = this.store;
    const limit = this.isStopping ? 0 : kind.concurrency - this.runs.countOf(kind.kind);
    const [released, reclaimed, claimed] = await Promise.all([
      mayRelease ? claims.release(kind.kind, nowMs, within) : 0,
      mayReclaim ? claims.reclaim(kind.kind, nowMs, this.runs.ids, within) : NONE,
      limit > 0 ? claims.claim({ ...kind, limit, ...this.runs.lease }, within) : NONE,
    ]);
    return { kind, released, reclaimed: reclaimed.length, claimed, isFull: claimed.length >= limit };
  }
}

/** Resolves after this time, or when `work` is done. */
async function before(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout;
  const over = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}
