import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { type DomainEvent, type EventClass, Outbox, type Transaction } from '@animal-store/kernel';
import { JobStore, type NewJob } from './infrastructure/job-store.js';
import { type JobKind, JobKinds } from './job-kinds.js';
import { JobTime } from './schedules/job-time.js';
import { JobWorker } from './job-worker.js';

/** Most events become nothing, at no cost to what causes them. */
const NOTHING = Promise.resolve();

/** An outbox whose events become jobs, in the transaction that adds them. */
@Injectable()
export class JobOutbox extends Outbox {
  private readonly store: JobStore;

  constructor(
    private readonly database: Database,
    private readonly kinds: JobKinds,
    private readonly time: JobTime,
    private readonly worker: JobWorker,
  ) {
    super();
    this.store = new JobStore(database);
  }

  add(event: DomainEvent, transaction: Transaction): Promise<void> {
    const kinds = this.kinds.wanting(event.name);
    return kinds.length === 0 ? NOTHING : this.addJobs(kinds, event, transaction);
  }

  run<T>(
    Event: EventClass<T>,
    work: (transaction: Transaction | undefined) => Promise<T>,
    within?: Transaction,
  ): Promise<T> {
    const kinds = this.kinds.wanting(Event.event);
    if (kinds.length === 0) return work(within);
    return this.database.run(async (transaction) => {
      const subject = await work(transaction);
      await this.addJobs(kinds, new Event(subject), transaction);
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
    await this.store.add(job, kind.tries, this.time.now(), transaction);
    transaction.onCommit(() => this.worker.wake());
  }

  private async addJobs(
    kinds: readonly JobKind[],
    event: DomainEvent,
    transaction: Transaction,
  ): Promise<void> {
    for (const { kind, handler } of kinds)
      for (const job of handler.jobsFor?.(event) ?? [{ payload: event }])
        await this.addJob({ kind, ...job }, transaction);
  }
}
