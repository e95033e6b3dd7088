import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { DomainError, type Transaction } from '@animal-store/kernel';
import { AS_ITS_KIND, type JobRecord } from './infrastructure/job.record.js';
import { type JobFilter, JobStore } from './infrastructure/job-store.js';
import { JobTime } from './schedules/job-time.js';

export class JobNotFound extends DomainError {
  constructor(id: bigint) {
    super('job_not_found', 'not-found', `No job has id ${id}.`);
  }
}

export class JobNotChangeable extends DomainError {
  constructor({ id, state }: Pick<JobRecord, 'id' | 'state'>, verb: string) {
    super('job_not_changeable', 'conflict', `Job ${id} is ${state} and cannot be ${verb}.`);
  }
}

/** What an operator does with jobs. */
@Injectable()
export class JobAdmin {
  constructor(
    private readonly database: Database,
    private readonly store: JobStore,
    private readonly time: JobTime,
  ) {}

  /** The newest first. */
  list(filter: JobFilter): Promise<readonly Readonly<JobRecord>[]> {
    return this.store.list(filter);
  }

  /** @throws JobNotFound */
  async find(id: bigint, within?: Transaction): Promise<Readonly<JobRecord>> {
    const job = await this.store.find(id, within);
    if (job === null) throw new JobNotFound(id);
    return job;
  }

  /**
   * Lets the job run now. One without an attempt left gets those that its kind has.
   * @throws JobNotFound, JobNotChangeable unless it is delayed, failed or cancelled
   */
  retry(id: bigint, within?: Transaction): Promise<JobRecord> {
    const change = (job: JobRecord): Partial<JobRecord> => ({
      state: 'waiting',
      dueAtMs: this.time.now(),
      attemptsLeft: job.attemptsLeft > 0 ? job.attemptsLeft : AS_ITS_KIND,
      endedAtMs: null,
    });
    return this.change(id, ['delayed', 'failed', 'cancelled'], 'retried', change, within);
  }

  /**
   * The job is not run any more.
   * @throws JobNotFound, JobNotChangeable when it runs, is done or is cancelled
   */
  cancel(id: bigint, within?: Transaction): Promise<JobRecord> {
    const change = (): Partial<JobRecord> => ({ state: 'cancelled', endedAtMs: this.time.now() });
    return this.change(id, ['waiting', 'delayed', 'failed'], 'cancelled', change, within);
  }

  private change(
    id: bigint,
    from: readonly JobRecord['state'][],
    verb: string,
    change: (job: JobRecord) => Partial<JobRecord>,
    within?: Transaction,
  ): Promise<JobRecord> {
    return this.database.run(async (transaction) => {
      const job = await this.find(id, transaction);
      if (!from.includes(job.state)) throw new JobNotChangeable(job, verb);
      if (await this.isReplaced(job, transaction)) throw new JobNotChangeable(job, verb);
      const changed = { ...job, ...change(job) };
      await this.store.save(changed, transaction);
      return changed;
    }, within);
  }

  /** Whether it has ended, and its subject has another job that has not. */
  private async isReplaced(
    { kind, openSubject, endedAtMs }: JobRecord,
    transaction: Transaction,
  ): Promise<boolean> {
    if (openSubject === null || endedAtMs === null) return false;
    return (await this.store.openOf(kind, openSubject, transaction)) !== null;
  }
}
