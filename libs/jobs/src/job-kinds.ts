import { Injectable } from '@nestjs/common';
import { DiscoveryService, Reflector } from '@nestjs/core';
import type { Subjects } from './infrastructure/job-claims.js';
import { JOB, type JobHandler, type JobOptions, SCHEDULE } from './job.decorator.js';
import type { Schedule } from './schedules/schedule.js';

const HOUR_MS = 3_600_000;
/** The longest time of a timer of Node. */
const MAX_MS = 2 ** 31 - 1;
const MAX_ATTEMPTS = 1_000;

export interface JobKind extends Required<JobOptions> {
  readonly kind: string;
  readonly handler: JobHandler;
  readonly schedule: Schedule | null;
}

const DEFAULTS = {
  on: [] as readonly string[],
  concurrency: 5,
  subjects: 'together' as Subjects,
  attempts: 10,
  limitMs: 60_000,
  backOffMs: (failedAttempts: number) => Math.min(5_000 * 2 ** (failedAttempts - 1), 6 * HOUR_MS),
};

/** The classes with `@Job()` of all modules. */
@Injectable()
export class JobKinds {
  private found: ReadonlyMap<string, JobKind> | null = null;
  private byEvent: ReadonlyMap<string, readonly JobKind[]> = new Map();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
  ) {}

  /** Found at the first use, when all modules are complete. */
  get all(): ReadonlyMap<string, JobKind> {
    if (this.found !== null) return this.found;
    this.found = this.find();
    const byEvent = new Map<string, JobKind[]>();
    for (const kind of this.found.values())
      for (const event of kind.on) byEvent.set(event, [...(byEvent.get(event) ?? []), kind]);
    this.byEvent = byEvent;
    return this.found;
  }

  /** The kinds whose jobs an event of this name causes now. */
  wanting(event: string): readonly JobKind[] {
    if (this.found === null) void this.all;
    const kinds = this.byEvent.get(event);
    if (kinds === undefined) return NONE;
    const isHandled = ({ handler }: JobKind) => handler.wants?.(event) ?? true;
    return kinds.some(isHandled) ? kinds.filter(isHandled) : NONE;
  }

  /** @throws TypeError when two classes have one kind, options are impossible, or a schedule has no jobs */
  private find(): Map<string, JobKind> {
    const found = new Map<string, JobKind>();
    for (const { metatype, instance } of this.discovery.getProviders()) {
      const options = metatype && this.reflector.get<JobOptions & { kind: string }>(JOB, metatype);
      const schedule = (metatype && this.reflector.get<Schedule | undefined>(SCHEDULE, metatype)) ?? null;
      if (!options && schedule) throw new TypeError(`${metatype?.name} has a schedule, but is no @Job().`);
      if (!options) continue;
      if (found.has(options.kind)) throw new TypeError(`Two classes run the jobs "${options.kind}".`);
      const kind = { ...DEFAULTS, ...options, handler: instance as JobHandler, schedule };
      requireValid(kind);
      found.set(kind.kind, kind);
    }
    return found;
  }
}

function requireValid({ kind, attempts, concurrency, limitMs, backOffMs }: JobKind): void {
  const isWhole = (value: number, max: number) => Number.isInteger(value) && value >= 1 && value <= max;
  if (!isWhole(attempts, MAX_ATTEMPTS))
    throw new TypeError(`The attempts of "${kind}" must be 1 to ${MAX_ATTEMPTS}.`);
  if (!isWhole(concurrency, MAX_MS)) throw new TypeError(`The concurrency of "${kind}" must be at least 1.`);
  const delays = Array.from({ length: attempts }, (_, index) => backOffMs(index + 1));
  if (!isWhole(limitMs, MAX_MS) || !delays.every((ms) => ms >= 0 && ms <= MAX_MS))
    throw new TypeError(`The times of "${kind}" must be at least 0, and at most ${MAX_MS} ms.`);
}

const NONE: readonly JobKind[] = [];
