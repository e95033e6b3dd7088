import { applyDecorators, Injectable, SetMetadata } from '@nestjs/common';
import type { DomainEvent } from '@animal-store/kernel';
import type { Subjects } from './infrastructure/job-claims.js';
import type { NewJob } from './infrastructure/job-store.js';
import { type CronOptions, cronSchedule, everySchedule } from './schedules/schedule.js';

/** A job that an event becomes. */
export interface EventJob<Payload> extends Omit<NewJob, 'kind'> {
  readonly payload: Payload;
}

/** A job that cannot run yet: it is run again then, as the same job, and the attempt does not count. */
export interface RunAgain {
  readonly inMs: number;
}

export interface JobHandler<Payload = unknown> {
  /**
   * Does the work. It may be called again for the same job: when it throws, takes too long, or its process ends before
   * that is stored. `signal` aborts when the time has passed, when the server stops, or when the job is lost to another
   * worker.
   */
  run(payload: Payload, signal: AbortSignal): Promise<void | RunAgain>;

  /** The jobs that an event of `on` becomes. Without it one, whose payload is the event. */
  jobsFor?(event: DomainEvent): readonly EventJob<Payload>[];

  /** Whether such an event becomes a job now; without it always. It is called for every event, so it must be fast. */
  wants?(name: string): boolean;

  /** Whether its schedule applies. Without it always. Read at the start. */
  isScheduled?(): boolean;
}

export interface JobOptions {
  /** The names of the events that become such jobs, in the transactions that add them. */
  readonly on?: readonly string[];
  /** How many of them a process runs at once. Default: 5. */
  readonly concurrency?: number;
  /**
   * With `one job` a subject has at most one job in the cluster that has not ended. Adding another makes that one run
   * earlier, or again when it runs. Its payload stays. Default: `together`.
   */
  readonly subjects?: Subjects;
  /** The number of attempts. Default: 10. */
  readonly attempts?: number;
  /** How long an attempt may take. Default: a minute. */
  readonly limitMs?: number;
  /** How long to wait after this many failed attempts. Default: 5 s, then twice as long each time, up to 6 hours. */
  readonly backOffMs?: (failedAttempts: number) => number;
}

export const JOB = 'jobs:job';
export const SCHEDULE = 'jobs:schedule';

/**
 * A class whose method `run` does the jobs of this kind. List it among the providers of its module.
 *
 * @param kind a name that stays, as it is stored
 */
export function Job(kind: string, options: JobOptions = {}): ClassDecorator {
  return applyDecorators(Injectable(), SetMetadata(JOB, { kind, ...options }));
}

/** Adds such a job every `90s`, `15m`, `1h` or `1d`, at multiples in UTC, once in the cluster. Its payload is null. */
export function Every(duration: string): ClassDecorator {
  return SetMetadata(SCHEDULE, everySchedule(duration));
}

/** Adds such a job at the times of a cron pattern, such as `0 3 * * *`, once in the cluster. Its payload is null. */
export function Cron(pattern: string, options?: CronOptions): ClassDecorator {
  return SetMetadata(SCHEDULE, cronSchedule(pattern, options));
}
