import { Injectable, Logger } from '@nestjs/common';
import type { Transaction } from '@animal-store/kernel';
import { JobStore } from '../infrastructure/job-store.js';
import { type JobKind, JobKinds } from '../job-kinds.js';
import { JobTime } from './job-time.js';
import type { Schedule } from './schedule.js';

/** Schedules wait for a clock that was set back by no more than this, so that none runs the same time twice. */
const MAX_SET_BACK_MS = 3_600_000;

/** How far the measured time of the database may seem to go back. */
const JITTER_MS = 1_000;

type Scheduled = JobKind & { readonly schedule: Schedule };

/** Adds the jobs of schedules: the server that changes the row of a schedule adds its job. */
@Injectable()
export class JobSchedules {
  private readonly logger = new Logger('Jobs');
  /** When each was due when this process last read it. Others only make it later, unless the clock is set back. */
  private readonly nextMs = new Map<string, number>();
  private checkedAtMs = -Infinity;
  private hasAdded = false;

  constructor(
    private readonly store: JobStore,
    private readonly kinds: JobKinds,
    private readonly time: JobTime,
  ) {}

  /** Adds the jobs that are due. @returns when the next one is */
  async next(): Promise<{ readonly nextMs: number; readonly hasAdded: boolean }> {
    let earliestMs = Infinity;
    this.hasAdded = false;
    const nowMs = this.time.now();
    if (nowMs < this.checkedAtMs - JITTER_MS) this.nextMs.clear();
    this.checkedAtMs = nowMs;
    for (const kind of this.kinds.all.values()) {
      if (kind.schedule === null || kind.handler.isScheduled?.() === false) continue;
      let nextMs = this.nextMs.get(kind.kind) ?? -Infinity;
      if (nextMs <= nowMs) {
        nextMs = await this.store.database.run((transaction) => this.advance(kind as Scheduled, transaction));
        this.nextMs.set(kind.kind, nextMs);
      }
      earliestMs = Math.min(earliestMs, nextMs);
    }
    return { nextMs: earliestMs, hasAdded: this.hasAdded };
  }

  private async advance(scheduled: Scheduled, transaction: Transaction): Promise<number> {
    const { kind, schedule, attempts } = scheduled;
    const { rule } = schedule;
    const stored = await this.store.lockedSchedule(kind, transaction);
    const nowMs = this.time.now();
    const nextAtMs = schedule.next(nowMs);
    const isDue = stored !== null && stored.nextAtMs <= nowMs;
    const isCurrent = stored?.rule === rule && stored.savedAtMs - nowMs <= MAX_SET_BACK_MS;
    if (isCurrent && !isDue) return stored.nextAtMs;
    await this.store.saveSchedule({ kind, rule, nextAtMs, savedAtMs: nowMs }, transaction);
    if (!isDue) return nextAtMs;
    const [backlog] = await this.store.backlogs([kind], transaction);
    const isOpen = backlog!.waiting !== null || backlog!.delayed !== null || backlog!.running !== null;
    if (!isOpen) await this.store.add({ kind, payload: null }, attempts, nowMs, transaction);
    this.hasAdded = true;
    return nextAtMs;
  }
}
