import { RepeatedTask } from './repeated-task.js';
import { StorageUnavailable } from '../storage-unavailable.js';

export interface CircuitOptions {
  /** Resolves when the server responds, and rejects soon when it does not. */
  readonly probe: () => Promise<void>;
  /** How often a server that does not respond is probed. Default: 250 ms. */
  readonly probeEveryMs?: number;
  /** Called when it opens, with the reason. Must not throw. */
  readonly onOpen?: (cause: unknown) => void;
  /** Called when it closes again. Must not throw. */
  readonly onClose?: () => void;
}

const DEFAULT_PROBE_EVERY_MS = 250;
/** A server that has just responded to a probe is not probed again, whatever fails. */
const TRUSTED_MS = 250;

/**
 * Whether a server responds, so that requests need not all wait for their time-out. It opens when a request fails and a
 * probe fails too: a server that is only slow, or refuses one request, responds to the probe. It closes with the first
 * probe that succeeds.
 *
 * @example
 * ```ts
 * const circuit = new Circuit({ probe: () => client.ping() });
 * circuit.requireClosed();
 * await client.get('/').catch((error) => {
 *   void circuit.suspect();
 *   throw error;
 * });
 * ```
 */
export class Circuit {
  private readonly probing: RepeatedTask;
  private readonly probeEveryMs: number;
  private openedBy: unknown = null;
  private respondedAtMs = -Infinity;
  private isStopped = false;

  constructor(private readonly options: CircuitOptions) {
    this.probeEveryMs = options.probeEveryMs ?? DEFAULT_PROBE_EVERY_MS;
    this.probing = new RepeatedTask({ step: () => this.probe(), delayAfterFailureMs: this.probeEveryMs });
  }

  /** Whether the server does not respond. */
  get isOpen(): boolean {
    return this.openedBy !== null;
  }

  /** @throws StorageUnavailable while the server does not respond. */
  requireClosed(): void {
    if (this.openedBy !== null) throw new StorageUnavailable(this.openedBy);
  }

  /**
   * Call it after every failure that may mean that the server does not respond. Resolves when it is known whether that
   * is so. Never rejects.
   */
  async suspect(): Promise<void> {
    if (this.isStopped || this.isOpen || performance.now() - this.respondedAtMs < TRUSTED_MS) return;
    await this.probing.run();
  }

  /** Call it instead after a failure that means it: the first probe is then due after a delay. */
  open(cause: unknown): void {
    if (this.isOpen) return;
    this.become(cause ?? new Error('The server does not respond.'));
    this.probing.start(this.probeEveryMs);
  }

  /**
   * Probes the server now. Calls during a running probe share its outcome.
   * @throws what the probe throws.
   */
  async check(): Promise<void> {
    await this.probing.run();
    if (this.isOpen) throw this.openedBy;
  }

  /** Ends the probing. Call it before the connections are closed. */
  stop(): void {
    this.isStopped = true;
    void this.probing.stop();
  }

  private async probe(): Promise<null> {
    try {
      await this.options.probe();
    } catch (cause) {
      this.become(cause ?? new Error('The server does not respond.'));
      throw cause;
    }
    this.respondedAtMs = performance.now();
    this.become(null);
    return null;
  }

  private become(openedBy: unknown): void {
    const wasOpen = this.isOpen;
    this.openedBy = openedBy;
    if (wasOpen === this.isOpen || this.isStopped) return;
    if (this.isOpen) this.options.onOpen?.(openedBy);
    else this.options.onClose?.();
  }
}
