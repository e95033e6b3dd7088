import { DAY_MS } from '@animal-store/kernel';
import { CounterMap } from './counter-map.js';
import type { Counted, RateLimitDecision } from './rate-limit-decision.js';
import {
  count,
  Counter,
  isIdle,
  isSpare,
  liftBan,
  peek,
  Penalty,
  rollOver,
  type Usage,
  usageOf,
} from './plan-window.js';
import { type BanRules, banRules } from './rate-plan.js';
import { RateLimitStore, type RateSubject } from './rate-limit.store.js';
import { SteadyTime } from './steady-time.js';

/** The part of a counter that survives a restart. The minute window need not. */
export interface CounterRow {
  readonly subject: string;
  /** What `RateSubject.isAddress` says of the subject. */
  readonly isAddress?: boolean;
  /** UTC day, counted from the Unix epoch. */
  readonly day: number;
  /** Requests counted on `day`. */
  readonly dayCount: number;
  /** When the last ban ends or ended, in milliseconds since the Unix epoch; 0 when no ban is remembered. */
  readonly banUntilMs: number;
  /** How long the last ban lasts; 0 when no ban is remembered. */
  readonly banMs: number;
}

/** Where an application saves the counters of a MemoryRateLimitStore, so that they survive a restart. */
export abstract class CounterStore {
  /**
   * Saves `rows`. Each one replaces the saved row of its subject. When it rejects, any of them may be saved.
   */
  abstract save(rows: readonly CounterRow[]): Promise<void>;

  /**
   * The saved rows, each once, in pages that are small compared with memory. Counts of past days and bans that no
   * longer matter at `nowMs` may be left out, and deleted.
   */
  abstract load(nowMs: number): AsyncIterable<readonly CounterRow[]>;
}

export interface MemoryRateLimitStoreOptions {
  bans?: Partial<BanRules>;
  /** Milliseconds by a clock that nobody sets, so that a step of the other one opens nothing. `performance.now` unless told. */
  monotonicMs?: () => number;
  /**
   * How many addresses (`RateSubject.isAddress`) are counted apart; 100,000 unless told, some 35 MB. Those beyond them share
   * one minute window, until there is room again.
   */
  maxAddresses?: number;
}

/** Every counter is checked about once in this time, however many there are. */
const SWEEP_ROUND_MS = 60_000;
/** A slice is rare enough to cost nothing. */
const SWEEP_SLICE_MS = 100;
/** The number of addresses that are checked to find one that can be dropped for a new one. */
const LOOKED_AT_FOR_ROOM = 20;

/**
 * Counts in the memory of the process, without a promise, by a time that never goes back: a clock that steps back opens no
 * window again. Memory is bounded: a counter whose windows and ban memory
 * are over is dropped within about a minute, a slice of the counters at a time, so that there is no pause. Of addresses,
 * which anybody can have without number, `maxAddresses` are counted apart. When there are as many, the memory of a ban that
 * is over makes room for a new one; a window that is running and a ban in force never do.
 *
 * @example
 * ```ts
 * const store = new MemoryRateLimitStore({ bans: { firstBanMs: 30_000 } });
 * const subject = { id: 'key-7', plan: { perMinute: 60, perDay: null } };
 * store.consume(subject, Date.now()).remaining; // 59
 * ```
 */
export class MemoryRateLimitStore extends RateLimitStore {
  private readonly counters = new CounterMap(this);
  private readonly addresses = new CounterMap(this);
  /** The shared counters of addresses beyond `maxAddresses`, by limit. */
  private readonly others = new Map<number, Counter>();
  private readonly maxAddresses: number;
  private readonly bans: BanRules;
  private readonly time: SteadyTime;
  private sweptAtMs = 0;
  /** The counters that are `changed`; null while nobody takes them. */
  private changes: Counter[] | null = null;

  constructor(options: MemoryRateLimitStoreOptions = {}) {
    super();
    this.bans = banRules(options.bans);
    this.time = new SteadyTime(options.monotonicMs ?? (() => performance.now()));
    this.maxAddresses = options.maxAddresses ?? 100_000;
  }

  /** How many counters are in memory. */
  get size(): number {
    return this.counters.size + this.addresses.size;
  }

  consume(subject: RateSubject, clockMs: number, cost = 1): RateLimitDecision {
    const nowMs = this.time.at(clockMs);
    this.sweep(nowMs);
    const counter = subject.counter?.home === this ? subject.counter : this.lookUp(subject, nowMs);
    const decision = count(counter, subject.plan, nowMs, this.bans, nowMs - clockMs, cost);
    if (decision.allowed ? subject.plan.perDay !== null : decision.banBegan && this.isSaved(subject)) {
      this.noteChange(counter);
    }
    return decision;
  }

  peek(subject: RateSubject, clockMs: number): RateLimitDecision {
    const nowMs = this.time.at(clockMs);
    const counter = this.counterThere(subject) ?? new Counter(subject.id);
    return peek(counter, subject.plan, nowMs, nowMs - clockMs);
  }

  liftBan(subject: string, liftedAtMs: number): void {
    const counter = this.find(subject);
    if (counter === undefined) return;
    const { penalty } = counter;
    liftBan(counter, liftedAtMs + this.time.aheadMs);
    if (counter.penalty !== penalty) this.noteChange(counter);
  }

  usage(subject: string, clockMs: number): Usage {
    const nowMs = this.time.at(clockMs);
    return usageOf(this.find(subject) ?? new Counter(subject), nowMs, nowMs - clockMs);
  }

  /** From now on `takeChanges` returns changes. Changed counters stay in memory until they are taken. */
  trackChanges(): void {
    this.changes ??= [];
  }

  /**
   * Up to `limit` of the subjects whose day count or ban changed since they were last taken, oldest change first. Bans
   * are in the times of the clock, which is all that the next process has.
   */
  takeChanges(limit: number): CounterRow[] {
    const { aheadMs } = this.time;
    const rows: CounterRow[] = [];
    for (const counter of this.changes?.splice(0, limit) ?? []) {
      counter.changed = false;
      const { subject, day, dayCount, penalty } = counter;
      rows.push({
        subject,
        isAddress: this.addresses.get(subject) === counter,
        day,
        dayCount,
        banUntilMs: penalty?.banUntilMs ? penalty.banUntilMs - aheadMs : 0,
        banMs: penalty?.banMs ?? 0,
      });
    }
    return rows;
  }

  /**
   * Takes over what an earlier process left. Hand over each row once, before the first request; a count that is already
   * there is added to, so that nobody gets more than a day's quota in a day even when it comes late. Rows that no longer
   * matter at `clockMs` are passed over, and so are those of addresses beyond `maxAddresses`.
   */
  restore(rows: Iterable<CounterRow>, clockMs: number): void {
    const nowMs = this.time.at(clockMs);
    for (const row of rows) {
      const kind = row.isAddress ? this.addresses : this.counters;
      if (kind === this.addresses && this.isFull(nowMs)) continue;
      const counter = this.find(row.subject) ?? kind.add(row.subject);
      rollOver(counter, nowMs);
      if (row.day === counter.day) counter.dayCount += row.dayCount;
      else if (row.day > counter.day) {
        // The clock stepped back over midnight meanwhile. Nobody knows the count of the day that comes again.
        counter.day = row.day;
        counter.dayCount = counter.dayBeforeCount = row.dayCount;
      }
      rememberBan(counter, row.banUntilMs, row.banMs);
      if (this.mayGo(counter, nowMs)) kind.drop(counter);
    }
  }

  /**
   * Follows the counts of another store, to continue from them when that store is lost. When both have counted in the
   * same window, the larger count is used.
   */
  adopt(subject: RateSubject, counted: Counted): void {
    const { nowMs, cost, minuteStartMs, minuteUsed, dayUsed, bannedUntilMs, banMs } = counted;
    this.sweep(nowMs);
    const counter = this.counterOf(subject, nowMs);
    if (counter.home === null) {
      count(counter, subject.plan, nowMs, this.bans, 0, cost);
      return;
    }
    rollOver(counter, nowMs);
    if (minuteStartMs > counter.minuteStartMs) {
      counter.minuteStartMs = minuteStartMs;
      counter.minuteCount = minuteUsed;
    } else if (minuteStartMs === counter.minuteStartMs) {
      counter.minuteCount = Math.max(counter.minuteCount, minuteUsed);
    }
    if (counter.day === Math.floor(nowMs / DAY_MS)) counter.dayCount = Math.max(counter.dayCount, dayUsed);
    rememberBan(counter, bannedUntilMs, banMs);
  }

  private lookUp(subject: RateSubject, nowMs: number): Counter {
    const counter = this.counterOf(subject, nowMs);
    if (subject.counter !== undefined) {
      subject.counter = counter;
      counter.keeper = subject;
    }
    return counter;
  }

  private counterOf(subject: RateSubject, nowMs: number): Counter {
    const counter = this.find(subject.id);
    if (counter !== undefined) return counter;
    if (!subject.isAddress) return this.counters.add(subject.id);
    return this.isFull(nowMs) ? this.otherOf(subject) : this.addresses.add(subject.id);
  }

  /** Like `counterOf`, but creates no counter and drops none. */
  private counterThere(subject: RateSubject): Counter | undefined {
    const counter = this.find(subject.id);
    const isBeyond = counter === undefined && subject.isAddress && this.addresses.size >= this.maxAddresses;
    return isBeyond ? this.otherOf(subject) : counter;
  }

  private find(subject: string): Counter | undefined {
    return this.counters.get(subject) ?? this.addresses.get(subject);
  }

  /** Never banned, as one address would lock out all the others. */
  private otherOf({ plan: { perMinute } }: RateSubject): Counter {
    let counter = this.others.get(perMinute);
    if (counter === undefined) this.others.set(perMinute, (counter = new Counter('other addresses')));
    counter.penalty = null;
    return counter;
  }

  /** Whether there is no room for another address and none can be dropped. */
  private isFull(nowMs: number): boolean {
    if (this.addresses.size < this.maxAddresses) return false;
    this.addresses.dropOne(LOOKED_AT_FOR_ROOM, (counter) => {
      rollOver(counter, nowMs);
      return isSpare(counter, nowMs) && !counter.changed;
    });
    return this.addresses.size >= this.maxAddresses;
  }

  /** With as many addresses as there may be, no more bans of them are saved: a row stays for a day. */
  private isSaved({ isAddress }: RateSubject): boolean {
    return !isAddress || this.addresses.size < this.maxAddresses;
  }

  private noteChange(counter: Counter): void {
    if (this.changes === null || counter.changed) return;
    counter.changed = true;
    this.changes.push(counter);
  }

  /** Checks the next slice of the counters when it is due, and drops the idle ones. */
  private sweep(nowMs: number): void {
    const sinceMs = nowMs - this.sweptAtMs;
    if (sinceMs >= 0 && sinceMs < SWEEP_SLICE_MS) return;
    this.sweptAtMs = nowMs;
    const share = Math.min(Math.max(sinceMs, SWEEP_SLICE_MS) / SWEEP_ROUND_MS, 1);
    const mayGo = (counter: Counter) => this.mayGo(counter, nowMs);
    this.counters.sweep(share, mayGo);
    this.addresses.sweep(share, mayGo);
  }

  private mayGo(counter: Counter, nowMs: number): boolean {
    rollOver(counter, nowMs);
    return isIdle(counter, nowMs, this.bans) && !counter.changed;
  }
}

function rememberBan(counter: Counter, banUntilMs: number, banMs: number): void {
  if (banUntilMs <= (counter.penalty?.banUntilMs ?? 0)) return;
  counter.penalty ??= new Penalty();
  counter.penalty.banUntilMs = banUntilMs;
  counter.penalty.banMs = banMs;
}
