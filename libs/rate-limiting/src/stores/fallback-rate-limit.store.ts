import { Circuit } from '@animal-store/kernel';
import type { RateLimitDecision, Usage } from './plan-window.js';
import type { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { RateLimitStore, type RateSubject, SubjectNotCounted, UnusableStore } from '../rate-limit.store.js';
import { TimeLimit } from './time-limit.js';

/** A store over the network, such as RedisRateLimitStore. */
export interface RemoteRateLimitStore extends RateLimitStore {
  consume(subject: RateSubject, now: number, cost?: number): Promise<RateLimitDecision>;
  usage(subject: string, now: number): Promise<Usage>;
  liftBan(subject: string, liftedAtMs: number): Promise<void>;
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
  /** Called after each probe that fails while it is lost, with the reason, which may be another one. Must not throw. */
  onStillLost?: (cause: unknown) => void;
  /** Called once when it is back. Must not throw. */
  onRestored?: () => void;
  /** Called at most once a minute when the remote store counts, but not one subject. Must not throw. */
  onNotCounted?: (refusal: SubjectNotCounted) => void;
}

/** How long the first connection may take before the service starts without it. */
const START_TIMEOUT_MS = 1_000;
/** The maximum of lifts waiting for the remote store: far more than an operator makes. */
const MOST_LATE_LIFTS = 10_000;
/** How often it says that a subject is not counted. */
const NOT_COUNTED_EVERY_MS = 60_000;

/**
 * Uses a remote store, and decides locally while that is gone or slow. It never lets everything through and never
 * refuses everything.
 *
 * After the first call that fails or takes longer than `timeoutMs`, the local store decides every request, without a
 * promise, while the remote store is probed in the background until it is back. A subject that the remote store refuses
 * with `SubjectNotCounted` is decided locally by itself, as long as the store counts when it is probed.
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
  private readonly circuit: Circuit;
  private readonly lateLifts = new Map<string, number>();
  private saidNotCountedAtMs = -Infinity;

  constructor(
    private readonly remote: RemoteRateLimitStore,
    private readonly local: MemoryRateLimitStore,
    private readonly options: FallbackRateLimitStoreOptions = {},
  ) {
    super();
    this.timeoutMs = options.timeoutMs ?? 50;
    this.timeLimit = new TimeLimit(this.timeoutMs);
    this.circuit = new Circuit({
      probe: () => this.probe(),
      probeEveryMs: options.probeEveryMs ?? 1_000,
      onOpen: options.onLost,
      onClose: options.onRestored,
    });
  }

  /** Whether the local store decides now. */
  get degraded(): boolean {
    return this.circuit.isOpen;
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
      this.circuit.open(cause);
    }
  }

  /** Probes the remote store unless it just responded, so that its loss is noticed without a request. Never rejects. */
  check(): Promise<void> {
    return this.circuit.suspect();
  }

  consume(subject: RateSubject, now: number, cost?: number): RateLimitDecision | Promise<RateLimitDecision> {
    if (this.degraded) return this.local.consume(subject, now, cost);
    return this.timeLimit.apply(this.remote.consume(subject, now, cost)).catch((cause: unknown) => {
      void this.noteFailure(cause, now);
      return this.local.consume(subject, now, cost);
    });
  }

  peek(subject: RateSubject, now: number): RateLimitDecision {
    return (this.degraded ? this.local : this.remote).peek(subject, now);
  }

  usage(subject: string, now: number): Usage | Promise<Usage> {
    if (this.degraded) return this.local.usage(subject, now);
    return this.timeLimit.apply(this.remote.usage(subject, now)).catch((cause: unknown) => {
      void this.noteFailure(cause, now);
      return this.local.usage(subject, now);
    });
  }

  /**
   * While the remote store is lost, the lift waits and is applied when the store is back. At most the latest 10,000
   * lifts wait; for others the ban ends by itself.
   */
  async liftBan(subject: string, liftedAtMs: number): Promise<void> {
    this.local.liftBan(subject, liftedAtMs);
    const [eldest] = this.lateLifts.keys();
    if (this.lateLifts.size === MOST_LATE_LIFTS) this.lateLifts.delete(eldest!);
    this.lateLifts.set(subject, liftedAtMs);
    if (!this.degraded) await this.makeUpForLifts().catch((cause: unknown) => this.circuit.open(cause));
  }

  override async close(): Promise<void> {
    this.circuit.stop();
    await this.remote.close();
  }

  private async noteFailure(cause: unknown, now: number): Promise<void> {
    if (!(cause instanceof SubjectNotCounted)) return this.circuit.open(cause);
    await this.circuit.suspect();
    if (this.degraded || Math.abs(now - this.saidNotCountedAtMs) < NOT_COUNTED_EVERY_MS) return;
    this.saidNotCountedAtMs = now;
    this.options.onNotCounted?.(cause);
  }

  private async probe(): Promise<void> {
    try {
      await this.remote.probe(this.timeoutMs);
      await this.makeUpForLifts();
    } catch (cause) {
      if (this.degraded) this.options.onStillLost?.(cause);
      throw cause;
    }
  }

  private async makeUpForLifts(): Promise<void> {
    for (const [subject, liftedAtMs] of this.lateLifts) {
      try {
        await this.timeLimit.apply(this.remote.liftBan(subject, liftedAtMs));
      } catch (cause) {
        if (!(cause instanceof SubjectNotCounted)) throw cause;
        // Its ban is a local one. When the store counts nothing at all, it is lost, and the lift waits.
        await this.remote.probe(this.timeoutMs);
      }
      if (this.lateLifts.get(subject) === liftedAtMs) this.lateLifts.delete(subject);
    }
  }
}
