import { Circuit } from '@animal-store/kernel';
import type { RateLimitDecision } from '../rate-limit-decision.js';
import { RateLimitStore, SubjectNotCounted, UnusableStore } from '../rate-limit.store.js';
import type { RateSubject } from '../rate-subject.js';
import type { Usage } from './counter.js';
import type { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { TimeLimit } from './time-limit.js';

/** A store over the network, such as RedisRateLimitStore. */
export interface RemoteRateLimitStore extends RateLimitStore {
  consume(subject: RateSubject, now: number, cost?: number): Promise<RateLimitDecision>;
  usage(subject: string, now: number, caller?: string): Promise<Usage>;
  liftBan(subject: string, liftedAtMs: number, caller?: string): Promise<void>;
  /** Resolves when it decides a request within `limitMs`. Otherwise it attempts to recover, and rejects. */
  probe(limitMs: number, node?: string): Promise<void>;
  /** The node that counts `subject`, if the store has several that fail one by one. Empty when it is not known. */
  nodeOf?(subject: string): string;
  /** All nodes, each of which is probed. */
  nodes?(): readonly string[];
}

export interface FallbackRateLimitStoreOptions {
  /** How long a call of the remote store may take from the end of its turn of the event loop. Default: 50 ms. */
  timeoutMs?: number;
  /** The time between two probes of a lost store. Default: 1,000 ms. */
  probeEveryMs?: number;
  /**
   * Called once when the remote store is lost, with the reason. Of a store with several nodes, once for each node that
   * is lost, with its name. Must not throw.
   */
  onLost?: (cause: unknown, node: string) => void;
  /** Called after each probe that fails while it is lost, with the reason, which may be another one. Must not throw. */
  onStillLost?: (cause: unknown, node: string) => void;
  /** Called once when it is back, or when the node counts nothing any more. Must not throw. */
  onRestored?: (node: string) => void;
  /** Called at most once a minute when the remote store counts, but not one subject. Must not throw. */
  onNotCounted?: (refusal: SubjectNotCounted) => void;
}

/** How long the first connection may take before the service starts without it. */
const START_TIMEOUT_MS = 1_000;
/** How often it says that a subject is not counted. */
const NOT_COUNTED_EVERY_MS = 60_000;

/**
 * Uses a remote store, and decides locally while that is unavailable or slow. It never allows everything and never
 * refuses everything.
 *
 * After the first call that fails or takes longer than `timeoutMs`, the local store decides every request, without a
 * promise, while the remote store is probed in the background until it is back. A subject that the remote store refuses
 * with `SubjectNotCounted` is decided locally by itself, as long as the store counts when it is probed. When the remote
 * store has several nodes, only the subjects of a lost one are decided locally.
 *
 * For the limits this means: when the local store mirrors the remote one, it continues from the counts that this
 * process saw last. Its own counts are not added to the remote ones later. So around an outage a subject gets at most
 * its limit once from the remote store and once from each process, for each window that the outage touches. A request
 * that the remote store counted too late is counted in both: it may cost the subject one request, and never gives it an
 * extra one.
 */
export class FallbackRateLimitStore extends RateLimitStore {
  private readonly timeoutMs: number;
  private readonly timeLimit: TimeLimit;
  /** The circuits by node. While one is open, its subjects are decided locally. */
  private readonly circuits = new Map<string, Circuit>();
  private readonly lost = new Set<string>();
  private reportedNotCountedAtMs = -Infinity;

  constructor(
    private readonly remote: RemoteRateLimitStore,
    private readonly local: MemoryRateLimitStore,
    private readonly options: FallbackRateLimitStoreOptions = {},
  ) {
    super();
    this.timeoutMs = options.timeoutMs ?? 50;
    this.timeLimit = new TimeLimit(this.timeoutMs);
  }

  /** Whether the local store decides now about some subjects, or about all. */
  get degraded(): boolean {
    return this.lost.size > 0;
  }

  /** Whether each node counts, of a remote store with several. */
  get nodes(): ReadonlyMap<string, boolean> {
    const names = this.nodeNames().filter((node) => node !== '');
    return new Map(names.map((node) => [node, !this.lost.has(node)]));
  }

  /**
   * Connects before the first request. Without the remote store it starts degraded.
   * @throws UnusableStore when the remote store responds and can never count
   */
  async start(): Promise<void> {
    const connect = async (node: string): Promise<void> => {
      try {
        await this.remote.probe(START_TIMEOUT_MS, node);
      } catch (cause) {
        if (cause instanceof UnusableStore) throw cause;
        this.circuitOf(node).open(cause);
      }
    };
    await connect('');
    await Promise.all([...this.nodes.keys()].map(connect));
  }

  /** Probes the remote store unless it just responded, so that its loss is noticed without a request. Never rejects. */
  async check(): Promise<void> {
    await Promise.all(this.nodeNames().map((node) => this.circuitOf(node).suspect()));
  }

  consume(subject: RateSubject, now: number, cost?: number): RateLimitDecision | Promise<RateLimitDecision> {
    const node = this.nodeOf(subject.id);
    if (this.lost.has(node)) return this.local.consume(subject, now, cost);
    return this.timeLimit.apply(this.remote.consume(subject, now, cost)).catch((cause: unknown) => {
      void this.noteFailure(node, cause, now);
      return this.local.consume(subject, now, cost);
    });
  }

  peek(subject: RateSubject, now: number): RateLimitDecision {
    return (this.isLost(subject.id) ? this.local : this.remote).peek(subject, now);
  }

  usage(subject: string, now: number, caller?: string): Usage | Promise<Usage> {
    const node = this.nodeOf(subject);
    if (this.lost.has(node)) return this.local.usage(subject, now, caller);
    return this.timeLimit.apply(this.remote.usage(subject, now, caller)).catch((cause: unknown) => {
      void this.noteFailure(node, cause, now);
      return this.local.usage(subject, now, caller);
    });
  }

  /** @throws what is wrong with the remote store, where the ban is not lifted then: repeat it, it is lifted here. */
  async liftBan(subject: string, liftedAtMs: number, caller = subject): Promise<void> {
    this.local.liftBan(subject, liftedAtMs, caller);
    try {
      await this.timeLimit.apply(this.remote.liftBan(subject, liftedAtMs, caller));
    } catch (cause) {
      await this.noteFailure(this.nodeOf(subject), cause, liftedAtMs);
      // A subject that a working store does not count was banned only here.
      if (!(cause instanceof SubjectNotCounted) || this.isLost(subject)) throw cause;
    }
  }

  override async close(): Promise<void> {
    for (const circuit of this.circuits.values()) circuit.stop();
    await this.remote.close();
  }

  private nodeOf(subject: string): string {
    return this.remote.nodeOf?.(subject) ?? '';
  }

  private nodeNames(): readonly string[] {
    return this.remote.nodes?.() ?? [''];
  }

  private isLost(subject: string): boolean {
    return this.degraded && this.lost.has(this.nodeOf(subject));
  }

  private circuitOf(node: string): Circuit {
    let circuit = this.circuits.get(node);
    if (circuit === undefined) {
      circuit = new Circuit({
        probe: () => this.probe(node),
        probeEveryMs: this.options.probeEveryMs ?? 1_000,
        onOpen: (cause) => {
          this.lost.add(node);
          this.options.onLost?.(cause, node);
        },
        onClose: () => {
          this.lost.delete(node);
          this.options.onRestored?.(node);
        },
      });
      this.circuits.set(node, circuit);
    }
    return circuit;
  }

  private async noteFailure(node: string, cause: unknown, now: number): Promise<void> {
    const circuit = this.circuitOf(node);
    if (!(cause instanceof SubjectNotCounted)) return circuit.open(cause);
    await circuit.suspect();
    if (circuit.isOpen || Math.abs(now - this.reportedNotCountedAtMs) < NOT_COUNTED_EVERY_MS) return;
    this.reportedNotCountedAtMs = now;
    this.options.onNotCounted?.(cause);
  }

  private async probe(node: string): Promise<void> {
    try {
      await this.remote.probe(this.timeoutMs, node);
    } catch (cause) {
      if (this.lost.has(node)) this.options.onStillLost?.(cause, node);
      throw cause;
    }
  }
}
