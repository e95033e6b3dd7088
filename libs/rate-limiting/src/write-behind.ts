import type { CounterStore } from './counter.store.js';
import type { MemoryRateLimitStore, SavedCounter } from './memory-rate-limit.store.js';

export interface WriteBehindOptions {
  /** The time in milliseconds since the Unix epoch. */
  now: () => number;
  /** How long a change may wait until it is saved. Default: 500 ms, so that saving included it stays under a second. */
  intervalMs?: number;
  /** Called for the first of several failed saves in a row. Must not throw. */
  onError?: (cause: unknown) => void;
}

/** Bounds the size of one save. */
const ROWS_A_SAVE = 1_000;

/**
 * Saves the day counts and bans of a MemoryRateLimitStore shortly after they change, and loads them at start. A process
 * that is killed loses the changes since the last save; one that calls `stop` loses nothing.
 *
 * @example
 * ```ts
 * const writeBehind = new WriteBehind(store, counterStore, { now: Date.now, onError: (cause) => log.error(cause) });
 * await writeBehind.start(); // before the first request
 * await writeBehind.stop(); // after the last
 * ```
 */
export class WriteBehind {
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> | null = null;
  private unsaved: SavedCounter[] = [];
  private isFailing = false;

  constructor(
    private readonly store: MemoryRateLimitStore,
    private readonly counterStore: CounterStore,
    private readonly options: WriteBehindOptions,
  ) {}

  /** @throws the error of the counter store when it cannot be read */
  async start(): Promise<void> {
    const nowMs = this.options.now();
    for await (const rows of this.counterStore.load(nowMs)) this.store.restore(rows, nowMs);
    this.store.trackChanges();
    this.timer = setInterval(() => this.saveInBackground(), this.options.intervalMs ?? 500);
    this.timer.unref();
  }

  /**
   * Saves everything that changed before the call.
   *
   * @throws the error of the counter store when it cannot save; the changes stay for the next attempt
   */
  async flush(): Promise<void> {
    await this.saving?.catch(() => {});
    await this.save();
  }

  /**
   * Saves the remaining changes and stops.
   *
   * @throws the error of the counter store when it cannot save
   */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private saveInBackground(): void {
    if (this.saving !== null) return;
    this.save().catch((cause: unknown) => {
      if (!this.isFailing) this.options.onError?.(cause);
      this.isFailing = true;
    });
  }

  private save(): Promise<void> {
    this.saving ??= this.saveAll().finally(() => (this.saving = null));
    return this.saving;
  }

  private async saveAll(): Promise<void> {
    let isLast = false;
    while (!isLast) {
      if (this.unsaved.length === 0) {
        this.unsaved = this.store.takeChanges(ROWS_A_SAVE);
        isLast = this.unsaved.length < ROWS_A_SAVE;
      }
      if (this.unsaved.length > 0) await this.counterStore.save(this.unsaved);
      this.unsaved = [];
      this.isFailing = false;
    }
  }
}
