import { RepeatedTask } from '@animal-store/kernel';
import type { CounterRow, CounterStore, MemoryRateLimitStore } from './memory-rate-limit.store.js';

export interface WriteBehindOptions {
  /** The time in milliseconds since the Unix epoch. */
  now: () => number;
  /** Called for the first of several failed saves in a row. Must not throw. */
  onError?: (cause: unknown) => void;
}

/** How long a change may wait until it is saved: with the saving it stays under a second. */
const INTERVAL_MS = 500;
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
  private readonly saving: RepeatedTask;
  private unsaved: CounterRow[] = [];

  constructor(
    private readonly store: MemoryRateLimitStore,
    private readonly counterStore: CounterStore,
    private readonly options: WriteBehindOptions,
  ) {
    this.saving = new RepeatedTask({
      step: () => this.save(),
      delayAfterFailureMs: INTERVAL_MS,
      onFailing: options.onError,
    });
  }

  /** @throws the error of the counter store when it cannot be read */
  async start(): Promise<void> {
    const nowMs = this.options.now();
    for await (const rows of this.counterStore.load(nowMs)) this.store.restore(rows, nowMs);
    this.store.trackChanges();
    this.saving.start(INTERVAL_MS);
  }

  /**
   * Saves the remaining changes and stops.
   *
   * @throws the error of the counter store when it cannot save; the changes stay for another attempt
   */
  async stop(): Promise<void> {
    await this.saving.stop();
    await this.save();
  }

  private async save(): Promise<number> {
    let isLast = false;
    while (!isLast) {
      if (this.unsaved.length === 0) {
        this.unsaved = this.store.takeChanges(ROWS_A_SAVE);
        isLast = this.unsaved.length < ROWS_A_SAVE;
      }
      if (this.unsaved.length > 0) await this.counterStore.save(this.unsaved);
      this.unsaved = [];
    }
    return INTERVAL_MS;
  }
}
