import type { SavedCounter } from './memory-rate-limit.store.js';

/** Where an application saves the counters of a MemoryRateLimitStore, so that they survive a restart. */
export abstract class CounterStore {
  /**
   * Saves `counters`. Each one replaces the saved counter of its subject. When it rejects, any of them may be saved.
   */
  abstract save(counters: readonly SavedCounter[]): Promise<void>;

  /**
   * The saved counters, each once, in pages that are small compared with memory. Counters of past days and bans that no
   * longer matter at `nowMs` may be left out, and deleted.
   */
  abstract load(nowMs: number): AsyncIterable<readonly SavedCounter[]>;
}
