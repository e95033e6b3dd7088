import type { RateLimitDecision } from './rate-limit-decision.js';
import type { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { RateLimitStore } from './rate-limit.store.js';
import type { RateSubject } from './rate-subject.js';
import { TimeLimit } from './time-limit.js';
import { UnusableStore } from './unusable-store.js';
import type { Usage } from './usage.js';

/** A store over the network, such as RedisRateLimitStore. */
export interface RemoteRateLimitStore extends RateLimitStore {
  consume(subject: RateSubject, nowMs: number, cost?: number): Promise<RateLimitDecision>;
  liftBan(subject: string, liftedAtMs: number): Promise<void>;
  usage(subject: string, nowMs: number): Promise<Usage>;
  /** Resolves when it decides a request within `limitMs`. Otherwise it tries to recover, and rejects. */
  probe(limitMs: number): Promise<void>;
}

export interface FallbackRateLimitStoreOptions {
  /** How long a call of the remote store may take from the end of its turn of the event loop. Default: 50 ms. */
  timeoutMs?: number;
  /** The time between two probes of a lost store. Default: 1,000 ms. */
  probeEveryMs?: number;
  /** Called once when the remote store is lost, with the reason. Must not throw. */
  onLost?: (cause: unknown) => void;
  /** Called once when it is back. Must not throw. */
  onRestored?: () => void;
}

/** How long the first connection may take before the service starts without it. */
const START_TIMEOUT_MS = 1_000;
/** The maximum of lifts waiting for the remote store: far more than an operator makes, and about a megabyte. */
const MOST_LATE_LIFTS = 10_000;

/**
 * Uses a remote store, and decides locally while that is gone or slow. It never lets everything through and never
 * refuses everything.
 *
 * After the first call that fails or takes longer than `timeoutMs`, the local store decides every request, without a
 * promise, while the remote store is probed in the background until it is back.
 *
 * For the limits this means: when the local store mirrors the remote one, it continues from the counts that this
 * process saw last. Its own counts are not added to the remote ones later. So around an outage a subject gets at most
 * its limit once from the remote store and once from each process, for each window that the outage touches. A request
 * that the remote store counted too late is counted in both: it may cost the subject one request, and never gives it an
 * extra one.
 *
 * @example
 * ```ts
 * const local = new MemoryRateLimitStore();
 * const remote = await RedisRateLimitStore.at(url, { mirror: local });
 * const store = new FallbackRateLimitStore(remote, local, { onLost: (cause) => log.warn(cause) });
 * await store.start();
 * ```
 */
export class FallbackRateLimitStore extends RateLimitStore {
  private readonly timeoutMs: number;
  private readonly timeLimit: TimeLimit;
  private readonly probeEveryMs: number;
  private readonly lateLifts = new Map<string, number>();
  private isLost = false;
  private isClosed = false;
  private nextProbe: NodeJS.Timeout | undefined;

  constructor(
    private readonly remote: RemoteRateLimitStore,
    private readonly local: MemoryRateLimitStore,
    private readonly options: FallbackRateLimitStoreOptions = {},
  ) {
    super();
    this.timeoutMs = options.timeoutMs ?? 50;
    this.timeLimit = new TimeLimit(this.timeoutMs);
    this.probeEveryMs = options.probeEveryMs ?? 1_000;
  }

  /** Whether the local store decides now. */
  get degraded(): boolean {
    return this.isLost;
  }

  /**
   * Connects before the first request. Without the remote store it starts degraded.
   * @throws UnusableStore when the remote store responds and can never count
   */
  async start(): Promise<void> {
    try {
      await this.remote.probe(START_TIMEOUT_MS);
    } catch (cause) {
      if (cause instanceof UnusableStore) throw cause;
      this.lose(cause);
    }
  }

  consume(
    subject: RateSubject,
    nowMs: number,
    cost?: number,
  ): RateLimitDecision | Promise<RateLimitDecision> {
    if (this.isLost) return this.local.consume(subject, nowMs, cost);
    return this.timeLimit.apply(this.remote.consume(subject, nowMs, cost)).catch((cause: unknown) => {
      this.lose(cause);
      return this.local.consume(subject, nowMs, cost);
    });
  }

  peek(subject: RateSubject, nowMs: number): RateLimitDecision {
    return (this.isLost ? this.local : this.remote).peek(subject, nowMs);
  }

  /**
   * While the remote store is lost, the lift waits and is applied when the store is back. At most the latest 10,000
   * lifts wait; for others the ban ends by itself.
   */
  async liftBan(subject: string, liftedAtMs: number): Promise<void> {
    this.local.liftBan(subject, liftedAtMs);
    if (this.lateLifts.size === MOST_LATE_LIFTS) this.forgetEldestLift();
    this.lateLifts.set(subject, liftedAtMs);
    if (this.isLost) return;
    try {
      await this.makeUpForLifts();
    } catch (cause) {
      this.lose(cause);
    }
  }

  usage(subject: string, nowMs: number): Usage | Promise<Usage> {
    if (this.isLost) return this.local.usage(subject, nowMs);
    return this.timeLimit.apply(this.remote.usage(subject, nowMs)).catch((cause: unknown) => {
      this.lose(cause);
      return this.local.usage(subject, nowMs);
    });
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.nextProbe);
    await this.remote.close();
  }

  private lose(cause: unknown): void {
    if (this.isLost) return;
    this.isLost = true;
    if (this.isClosed) return;
    this.options.onLost?.(cause);
    this.probeLater();
  }

  private probeLater(): void {
    if (this.isClosed) return;
    this.nextProbe = setTimeout(() => void this.probe(), this.probeEveryMs);
    this.nextProbe.unref();
  }

  private async probe(): Promise<void> {
    try {
      await this.remote.probe(this.timeoutMs);
      await this.makeUpForLifts();
    } catch {
      this.probeLater();
      return;
    }
    if (this.isClosed) return;
    this.isLost = false;
    this.options.onRestored?.();
  }

  private forgetEldestLift(): void {
    const { value } = this.lateLifts.keys().next();
    if (value !== undefined) this.lateLifts.delete(value);
  }

  private async makeUpForLifts(): Promise<void> {
    for (const [subject, liftedAtMs] of this.lateLifts) {
      await this.timeLimit.apply(this.remote.liftBan(subject, liftedAtMs));
      if (this.lateLifts.get(subject) === liftedAtMs) this.lateLifts.delete(subject);
    }
  }
}
