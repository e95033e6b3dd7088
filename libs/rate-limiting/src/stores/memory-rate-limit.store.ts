import type { RateLimitDecision } from '../rate-limit-decision.js';
import { RateLimitStore } from '../rate-limit.store.js';
import type { RateSubject } from '../rate-subject.js';
import { type BanRules, counted, DEFAULT_BAN_RULES } from '../rate-plan.js';
import {
  addSaved,
  adopt,
  count,
  Counter,
  isIdle,
  isSpare,
  liftBan,
  peek,
  type Penalty,
  penaltyOf,
  rememberBan,
  savedOf,
  type SavedWindow,
  type StoredBan,
  type Usage,
  usageOf,
} from './counter.js';
import { SteadyTime } from './steady-time.js';

/**
 * What survives a restart: of a subject its windows that are longer than a minute, and of a caller its ban. A caller
 * that is the subject itself has both in one row.
 */
export interface CounterRow extends StoredBan {
  readonly subject: string;
  /** Whose ban it is: the subject itself, or a caller that shares it. */
  readonly caller: string;
  /** What `RateSubject.isAddress` says of the subject. */
  readonly isAddress: boolean;
  readonly windows: readonly SavedWindow[];
}

export interface MemoryRateLimitStoreOptions {
  /** When callers are banned, and for how long. Default: `DEFAULT_BAN_RULES`, for what is left out too. */
  bans?: Partial<BanRules>;
  /** Milliseconds by a monotonic clock, so that a step of the other opens no window. Default: `performance.now`. */
  monotonicMs?: () => number;
  /**
   * How many addresses (`RateSubject.isAddress`) are counted separately; by default 100,000. Those beyond them share
   * one minute window, until there is room again.
   */
  maxAddresses?: number;
}

/** Every counter is checked about once in this time, however many there are. */
const SWEEP_ROUND_MS = 60_000;
/** A slice is rare enough to cost nothing. */
const SWEEP_SLICE_MS = 100;
/** The most counters that a slice checks: short enough to be no pause. */
const MAX_SLICE = 5_000;
/** The number of addresses that are checked to find one that can be dropped for a new one. */
const CHECKED_FOR_ROOM = 20;

/**
 * Counts in the memory of the process, synchronously, by a time that never goes back: a clock that steps back opens no
 * window again. Memory is bounded: a counter whose windows and bans have expired is evicted within about a minute, a
 * slice of the counters at a time, so that there is no pause. A client can have any number of addresses, so
 * `maxAddresses` of them are counted separately. When there are as many, an expired ban is evicted for a new address;
 * a running window and a ban in force never are.
 *
 * @example
 * ```ts
 * const store = new MemoryRateLimitStore({ bans: { firstBanMs: 30_000 } });
 * const subject = { id: 'key-7', plan: [perMinute(60)] };
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
  /** The counters that are `changed`, with the caller whose ban did; null while nothing drains them. */
  private changes: { readonly counter: Counter; readonly caller: string }[] | null = null;

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
    const cached = subject.counter as Counter | null | undefined;
    const counter = cached?.owner === this ? cached : this.lookUp(subject, now);
    const decision = count(counter, subject, now, this.bans, this.time.skew, cost);
    if (decision.code === null) {
      if (!counter.changed && counted(subject.plan).isLong) this.noteChange(counter, counter.subject);
    } else if (decision.ban?.began && this.isSaved(subject)) {
      this.noteChange(counter, subject.caller ?? subject.id);
    }
    return decision;
  }

  peek(subject: RateSubject, wallClock: number): RateLimitDecision {
    const now = this.time.at(wallClock);
    const isBeyond = subject.isAddress && this.addresses.size >= this.maxAddresses;
    const counter = this.find(subject.id) ?? (isBeyond ? this.otherOf(subject) : new Counter(subject.id));
    return peek(counter, subject, now, this.time.skew);
  }

  liftBan(subject: string, liftedAtMs: number, caller = subject): void {
    const counter = this.find(subject);
    if (counter && liftBan(counter, caller, liftedAtMs + this.time.skew)) this.noteChange(counter, caller);
  }

  /** What `subject` has used so far. It counts nothing. */
  usage(subject: string, wallClock: number, caller = subject): Usage {
    const now = this.time.at(wallClock);
    return usageOf(this.find(subject) ?? new Counter(subject), caller, now, this.time.skew);
  }

  /** From now on `drainChanges` returns changes. Changed counters stay in memory until they are drained. */
  trackChanges(): void {
    this.changes ??= [];
  }

  /**
   * Up to `limit` of the changes that were not drained yet, oldest first, in the times of the clock, which is all that
   * the next process has.
   */
  drainChanges(limit: number): CounterRow[] {
    const { skew } = this.time;
    const drained = this.changes?.splice(0, limit) ?? [];
    return drained.map(({ counter, caller }) => {
      const { subject } = counter;
      if (caller === subject) counter.changed = false;
      const { banUntilMs = 0, banMs = 0, banRefusals = 0 } = penaltyOf(counter, caller) ?? {};
      return {
        subject,
        caller,
        isAddress: this.addresses.get(subject) === counter,
        windows: caller === subject ? savedOf(counter, skew) : [],
        banUntilMs: banUntilMs && banUntilMs - skew,
        banMs,
        banRefusals,
      };
    });
  }

  /**
   * Restores what an earlier process has saved. Pass each row once, before the first request: one that is late is added
   * to the count of this process, so that nobody gets more than a day's quota in a day. Rows that have expired at
   * `wallClock` are skipped, and so are those of addresses beyond `maxAddresses`.
   */
  restore(rows: Iterable<CounterRow>, wallClock: number): void {
    const now = this.time.at(wallClock);
    for (const row of rows) {
      const kind = row.isAddress ? this.addresses : this.counters;
      if (kind === this.addresses && this.isFull(now)) continue;
      const counter = this.find(row.subject) ?? kind.add(row.subject);
      for (const window of row.windows) addSaved(counter, window, now);
      rememberBan(counter, row.caller, row);
      if (this.canBeDropped(counter, now)) kind.drop(counter);
    }
  }

  /**
   * Follows the counts of another store, to continue from them when that store is lost. When both have counted in the
   * same window, the larger count is used.
   *
   * @param seen what the other store has counted at `now`, with this request of `cost`
   * @param ban of the caller, or null
   */
  adopt(subject: RateSubject, seen: Counter, ban: Penalty | null, now: number, cost: number): void {
    this.sweep(now);
    const counter = this.counterOf(subject, now);
    if (counter.owner === null) {
      count(counter, subject, now, this.bans, 0, cost);
      return;
    }
    adopt(counter, seen);
    if (ban !== null) rememberBan(counter, subject.caller ?? subject.id, ban);
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
    const { perMinute } = counted(plan);
    const counter = this.others.get(perMinute) ?? new Counter('other addresses');
    this.others.set(perMinute, counter);
    counter.penalties = null;
    return counter;
  }

  /** Whether the maximum of addresses is reached and none can be dropped. */
  private isFull(now: number): boolean {
    if (this.addresses.size < this.maxAddresses) return false;
    this.addresses.dropOne(CHECKED_FOR_ROOM, (counter) => isSpare(counter, now) && !counter.changed);
    return this.addresses.size >= this.maxAddresses;
  }

  /** Once the maximum of addresses is counted, bans of addresses are not saved, because a row stays for a day. */
  private isSaved({ isAddress }: RateSubject): boolean {
    return !isAddress || this.addresses.size < this.maxAddresses;
  }

  private noteChange(counter: Counter, caller: string): void {
    const isOwn = caller === counter.subject;
    if (this.changes === null || (isOwn && counter.changed)) return;
    if (isOwn) counter.changed = true;
    this.changes.push({ counter, caller });
  }

  /** Checks the next slice of the counters when it is due, and drops the idle ones. */
  private sweep(now: number): void {
    const sinceMs = now - this.sweptAtMs;
    if (sinceMs < 0 || sinceMs >= SWEEP_SLICE_MS) this.sweepSlice(now, sinceMs);
  }

  private sweepSlice(now: number, sinceMs: number): void {
    this.sweptAtMs = now;
    const share = Math.min(Math.max(sinceMs, SWEEP_SLICE_MS) / SWEEP_ROUND_MS, 1);
    const canBeDropped = (counter: Counter) => this.canBeDropped(counter, now);
    this.counters.sweep(share, canBeDropped);
    this.addresses.sweep(share, canBeDropped);
  }

  private canBeDropped(counter: Counter, now: number): boolean {
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
  sweep(share: number, canBeDropped: (counter: Counter) => boolean): void {
    this.roundSize = Math.max(this.roundSize, this.size);
    for (let left = Math.min(Math.ceil(this.roundSize * share), MAX_SLICE); left > 0; left--) {
      const counter = this.next();
      if (counter === null) return;
      if (canBeDropped(counter)) this.drop(counter);
    }
  }

  /** Drops one of the next `count` counters, if one of them may go. */
  dropOne(count: number, canBeDropped: (counter: Counter) => boolean): void {
    for (let left = count; left > 0; left--) {
      const counter = this.next();
      if (counter !== null && canBeDropped(counter)) return this.drop(counter);
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
