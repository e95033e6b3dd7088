import {
  count,
  Counter,
  isIdle,
  isSpare,
  liftBan,
  peek,
  type RateLimitDecision,
  rememberBan,
  rollOver,
  type Usage,
  usageOf,
} from './plan-window.js';
import { type BanRules, DEFAULT_BAN_RULES, perMinuteOf } from '../rate-plan.js';
import { RateLimitStore, type RateSubject } from '../rate-limit.store.js';
import { SteadyTime } from './steady-time.js';
import { adoptEach, sumEach, type WindowCount } from './window-list.js';

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
  /** How many refused requests led to the last ban; absent when nobody remembers. */
  readonly banRefusals?: number;
  /** Of the windows that are a list, in the order in which they were first used; absent when there are none. */
  readonly windows?: readonly Readonly<WindowCount>[];
}

/** Where an application saves the counters of a MemoryRateLimitStore, so that they survive a restart. */
export abstract class CounterStore {
  /** Saves `rows`. Each one replaces the saved row of its subject. When it rejects, any of them may be saved. */
  abstract save(rows: readonly CounterRow[]): Promise<void>;

  /**
   * The saved rows, each once, in pages that are small compared with memory. Counts of past days and bans that no
   * longer matter at `nowMs` may be left out, and deleted.
   */
  abstract load(now: number): AsyncIterable<readonly CounterRow[]>;
}

export interface MemoryRateLimitStoreOptions {
  bans?: Partial<BanRules>;
  /** Milliseconds by a clock that nobody sets, so that a step of the other one opens nothing. `performance.now` unless told. */
  monotonicMs?: () => number;
  /**
   * How many addresses (`RateSubject.isAddress`) are counted apart; 100,000 unless told. Those beyond them share
   * one minute window, until there is room again.
   */
  maxAddresses?: number;
}

/** Every counter is checked about once in this time, however many there are. */
const SWEEP_ROUND_MS = 60_000;
/** A slice is rare enough to cost nothing. */
const SWEEP_SLICE_MS = 100;
/** The most counters that a slice looks at: short enough to be no pause. */
const MAX_SLICE = 5_000;
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
    this.bans = { ...DEFAULT_BAN_RULES, ...options.bans };
    this.time = new SteadyTime(options.monotonicMs ?? (() => performance.now()));
    this.maxAddresses = options.maxAddresses ?? 100_000;
  }

  /** How many counters are in memory. */
  get size(): number {
    return this.counters.size + this.addresses.size;
  }

  consume(subject: RateSubject, wallClock: number, cost = 1): RateLimitDecision {
    const now = this.time.at(wallClock);
    this.sweep(now);
    const counter = subject.counter?.owner === this ? subject.counter : this.lookUp(subject, now);
    const decision = count(counter, subject.plan, now, this.bans, this.time.skew, cost);
    const { perDay, windows } = subject.plan;
    const isLong = typeof perDay === 'number' || windows !== undefined;
    if (decision.allowed ? isLong : decision.banBegan && this.isSaved(subject)) this.noteChange(counter);
    return decision;
  }

  peek(subject: RateSubject, wallClock: number): RateLimitDecision {
    const now = this.time.at(wallClock);
    const isBeyond = subject.isAddress && this.addresses.size >= this.maxAddresses;
    const counter = this.find(subject.id) ?? (isBeyond ? this.otherOf(subject) : new Counter(subject.id));
    return peek(counter, subject.plan, now, this.time.skew);
  }

  liftBan(subject: string, liftedAtMs: number): void {
    const counter = this.find(subject);
    if (counter === undefined) return;
    const { penalty } = counter;
    liftBan(counter, liftedAtMs + this.time.skew);
    if (counter.penalty !== penalty) this.noteChange(counter);
  }

  /** What `subject` has used so far. It counts nothing. */
  usage(subject: string, wallClock: number): Usage {
    const now = this.time.at(wallClock);
    return usageOf(this.find(subject) ?? new Counter(subject), now, this.time.skew);
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
    const taken = this.changes?.splice(0, limit) ?? [];
    return taken.map((counter) => {
      counter.changed = false;
      const { subject, day, dayCount, penalty } = counter;
      const windows = counter.windows?.map(({ startMs, ...rest }) => ({
        ...rest,
        startMs: startMs - this.time.skew,
      }));
      const isAddress = this.addresses.get(subject) === counter;
      const banUntilMs = penalty?.banUntilMs ? penalty.banUntilMs - this.time.skew : 0;
      const banRefusals = penalty?.banRefusals || undefined;
      return {
        subject,
        isAddress,
        day,
        dayCount,
        banUntilMs,
        banMs: penalty?.banMs ?? 0,
        banRefusals,
        windows,
      };
    });
  }

  /**
   * Takes over what an earlier process left. Hand over each row once, before the first request; a count that is already
   * there is added to, so that nobody gets more than a day's quota in a day even when it comes late. Rows that no longer
   * matter at `wallClock` are passed over, and so are those of addresses beyond `maxAddresses`.
   */
  restore(rows: Iterable<CounterRow>, wallClock: number): void {
    const now = this.time.at(wallClock);
    for (const row of rows) {
      const kind = row.isAddress ? this.addresses : this.counters;
      if (kind === this.addresses && this.isFull(now)) continue;
      const counter = this.find(row.subject) ?? kind.add(row.subject);
      rollOver(counter, now);
      if (row.day === counter.day) counter.dayCount += row.dayCount;
      else if (row.day > counter.day) {
        // The clock stepped back over midnight meanwhile. Nobody knows the count of the day that comes again.
        counter.day = row.day;
        counter.dayCount = counter.dayBeforeCount = row.dayCount;
      }
      rememberBan(counter, row);
      if (row.windows) counter.windows = sumEach(counter.windows, row.windows);
      if (this.mayGo(counter, now)) kind.drop(counter);
    }
  }

  /**
   * Follows the counts of another store, to continue from them when that store is lost. When both have counted in the
   * same window, the larger count is used.
   *
   * @param seen what the other store has counted at `now`, with this request of `cost`
   */
  adopt(subject: RateSubject, seen: Counter, now: number, cost: number): void {
    this.sweep(now);
    const counter = this.counterOf(subject, now);
    if (counter.owner === null) {
      count(counter, subject.plan, now, this.bans, 0, cost);
      return;
    }
    rollOver(counter, now);
    if (seen.minuteStartMs > counter.minuteStartMs) {
      counter.minuteStartMs = seen.minuteStartMs;
      counter.minuteCount = seen.minuteCount;
    } else if (seen.minuteStartMs === counter.minuteStartMs) {
      counter.minuteCount = Math.max(counter.minuteCount, seen.minuteCount);
    }
    if (counter.day === seen.day) counter.dayCount = Math.max(counter.dayCount, seen.dayCount);
    if (seen.windows !== null) counter.windows = adoptEach(counter.windows, seen.windows);
    if (seen.penalty !== null) rememberBan(counter, seen.penalty);
  }

  private lookUp(subject: RateSubject, now: number): Counter {
    const counter = this.counterOf(subject, now);
    if (subject.counter !== undefined) {
      subject.counter = counter;
      counter.cachedBy = subject;
    }
    return counter;
  }

  private counterOf(subject: RateSubject, now: number): Counter {
    const counter = this.find(subject.id);
    if (counter !== undefined) return counter;
    if (!subject.isAddress) return this.counters.add(subject.id);
    return this.isFull(now) ? this.otherOf(subject) : this.addresses.add(subject.id);
  }

  private find(subject: string): Counter | undefined {
    return this.counters.get(subject) ?? this.addresses.get(subject);
  }

  /** Never banned, as one address would lock out all the others. */
  private otherOf({ plan }: RateSubject): Counter {
    const perMinute = perMinuteOf(plan);
    const counter = this.others.get(perMinute) ?? new Counter('other addresses');
    this.others.set(perMinute, counter);
    counter.penalty = null;
    return counter;
  }

  /** Whether there is no room for another address and none can be dropped. */
  private isFull(now: number): boolean {
    if (this.addresses.size < this.maxAddresses) return false;
    this.addresses.dropOne(LOOKED_AT_FOR_ROOM, (counter) => {
      rollOver(counter, now);
      return isSpare(counter, now) && !counter.changed;
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
  private sweep(now: number): void {
    const sinceMs = now - this.sweptAtMs;
    if (sinceMs >= 0 && sinceMs < SWEEP_SLICE_MS) return;
    this.sweptAtMs = now;
    const share = Math.min(Math.max(sinceMs, SWEEP_SLICE_MS) / SWEEP_ROUND_MS, 1);
    const mayGo = (counter: Counter) => this.mayGo(counter, now);
    this.counters.sweep(share, mayGo);
    this.addresses.sweep(share, mayGo);
  }

  private mayGo(counter: Counter, now: number): boolean {
    rollOver(counter, now);
    return isIdle(counter, now, this.bans) && !counter.changed;
  }
}

/** Counters by subject, with a cursor for sweeping them. */
class CounterMap extends Map<string, Counter> {
  private unswept = this.values();
  /** The largest number of counters in this round, so that a sweep does not slow down as they become fewer. */
  private roundSize = 0;

  constructor(private readonly owner: object) {
    super();
  }

  add(subject: string): Counter {
    const counter = new Counter(subject);
    counter.owner = this.owner;
    this.set(subject, counter);
    return counter;
  }

  drop(counter: Counter): void {
    if (!this.delete(counter.subject)) return;
    counter.owner = null;
    if (counter.cachedBy?.counter === counter) counter.cachedBy.counter = null;
    counter.cachedBy = null;
  }

  /** Checks the next counters, this share of all or at most `MAX_SLICE`, and drops those that may go. */
  sweep(share: number, mayGo: (counter: Counter) => boolean): void {
    this.roundSize = Math.max(this.roundSize, this.size);
    for (let left = Math.min(Math.ceil(this.roundSize * share), MAX_SLICE); left > 0; left--) {
      const counter = this.next();
      if (counter === null) return;
      if (mayGo(counter)) this.drop(counter);
    }
  }

  /** Drops one of the next `count` counters, if one of them may go. */
  dropOne(count: number, mayGo: (counter: Counter) => boolean): void {
    for (let left = count; left > 0; left--) {
      const counter = this.next();
      if (counter !== null && mayGo(counter)) return this.drop(counter);
    }
  }

  /** Null after the last counter; then it starts again. */
  private next(): Counter | null {
    const { done, value } = this.unswept.next();
    if (!done) return value;
    this.unswept = this.values();
    this.roundSize = 0;
    return null;
  }
}
