import { StorageUnavailable } from '@animal-store/kernel';

/** How often a server that does not respond is asked again, and one that does is at most. */
const PROBE_EVERY_MS = 250;

/**
 * Refuses requests at once while the server does not respond, so that they do not all wait for their time-out. It opens
 * when a request fails and a probe fails too: a server that is only slow responds to the probe. It closes with the first
 * probe that succeeds.
 */
export class Circuit {
  private openedBy: unknown = null;
  private probing: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private respondedAtMs = -Infinity;
  private isStopped = false;

  /** @param probe resolves when the server responds, and rejects soon when it does not */
  constructor(
    private readonly probe: () => Promise<void>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** @throws StorageUnavailable while the server does not respond. */
  requireClosed(): void {
    if (this.openedBy !== null) throw new StorageUnavailable(this.openedBy);
  }

  /** Call it after every failure that may mean that the server does not respond. */
  suspect(): void {
    if (this.openedBy !== null || this.nowMs() - this.respondedAtMs < PROBE_EVERY_MS) return;
    this.check().catch(ignore);
  }

  /**
   * Probes the server now. Calls during a running probe share its outcome.
   * @throws what the probe throws.
   */
  check(): Promise<void> {
    this.probing ??= this.probe()
      .then(
        () => this.close(),
        (cause: unknown) => this.open(cause),
      )
      .finally(() => (this.probing = null));
    return this.probing;
  }

  /** Ends the probing. Call it before the connections are closed. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private close(): void {
    this.openedBy = null;
    this.respondedAtMs = this.nowMs();
    clearTimeout(this.timer);
  }

  private open(cause: unknown): never {
    this.openedBy = cause ?? new Error('The server does not respond.');
    clearTimeout(this.timer);
    if (!this.isStopped)
      this.timer = setTimeout(() => void this.check().catch(ignore), PROBE_EVERY_MS).unref();
    throw cause;
  }
}

/** The outcome is in the state of the circuit. */
function ignore(): void {}
