import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { type DomainEvent, type EventClass, Outbox, type Transaction } from '@animal-store/kernel';
import { JobStore, type NewJob } from './infrastructure/job-store.js';
import { type JobKind, JobKinds } from './job-kinds.js';
import { JobTime } from './schedules/job-time.js';
import { JobWorker } from './job-worker.js';

/** Most events become nothing, at no cost to what causes them. */
const NOTHING = Promise.resolve();

/** Stores events itself, beside the jobs that they become. */
export interface EventRecorder {
  /** Whether it might store such an event now. It is called for every event, so it must be fast. */
  wants(name: string): boolean;
  /** Stores the event in the transaction that causes it, when it wants that one: undefined when it does not. */
  record(event: DomainEvent, transaction: Transaction): Promise<void> | undefined;
}

/** An outbox whose events become jobs, in the transaction that adds them. */
@Injectable()
export class JobOutbox extends Outbox {
  private recorder: EventRecorder | null = null;

  constructor(
    private readonly database: Database,
    private readonly store: JobStore,
    private readonly kinds: JobKinds,
    private readonly time: JobTime,
    private readonly worker: JobWorker,
  ) {
    super();
  }

  add(event: DomainEvent, transaction: Transaction): Promise<void> {
    const kinds = this.kinds.wanting(event.name);
    if (kinds.length === 0) return this.recorder?.record(event, transaction) ?? NOTHING;
    return this.addJobs(kinds, event, transaction);
  }

  /** From now on the recorder is given every event. */
  recordWith(recorder: EventRecorder): void {
    this.recorder = recorder;
  }

  run<T>(
    Event: EventClass<T>,
    work: (transaction: Transaction | undefined) => Promise<T>,
    within?: Transaction,
  ): Promise<T> {
    const isWanted = this.kinds.wanting(Event.event).length > 0 || this.recorder?.wants(Event.event);
    if (!isWanted) return work(within);
    return this.database.run(async (transaction) => {
      const subject = await work(transaction);
      await this.add(new Event(subject), transaction);
      return subject;
    }, within);
  }

  /**
   * Stores a job in the transaction that causes it, for jobs that cause further ones.
   * @throws TypeError when no class runs jobs of its kind
   */
  async addJob(job: NewJob, transaction: Transaction): Promise<void> {
    const kind = this.kinds.all.get(job.kind);
    if (kind === undefined) throw new TypeError(`No class runs jobs of the kind "${job.kind}".`);
    await this.addAll(kind, [job], transaction);
  }

  private async addAll(kind: JobKind, jobs: readonly NewJob[], transaction: Transaction): Promise<void> {
    if (jobs.length === 0) return;
    const [nowMs, { attempts }] = [this.time.now(), kind];
    if (kind.subjects !== 'one job')
      for (const job of jobs) await this.store.add(job, attempts, nowMs, transaction);
    else
      for (const delayMs of new Set(jobs.map((job) => job.delayMs)))
        await this.store.addOnce(
          jobs.filter((job) => job.delayMs === delayMs),
          attempts,
          nowMs,
          transaction,
        );
    transaction.onCommit(() => this.worker.wake());
  }

  private async addJobs(
    kinds: readonly JobKind[],
    event: DomainEvent,
    transaction: Transaction,
  ): Promise<void> {
    for (const kind of kinds) {
      const jobs = kind.handler.jobsFor?.(event) ?? [{ payload: event }];
      const named = jobs.map((job) => ({ kind: kind.kind, ...job }));
      await this.addAll(kind, named, transaction);
    }
    await this.recorder?.record(event, transaction);
  }
}
