import type { CounterRow, MemoryRateLimitStore } from '@animal-store/rate-limiting';
import { BackgroundSaving } from '../background-saving.js';
import type { TypeOrmCounterStore } from './typeorm-counter.store.js';

/** How long a change may wait until it is saved: with the saving it stays under a second. */
const SAVE_EVERY_MS = 500;
/** Bounds the size of one save. */
const ROWS_A_SAVE = 1_000;

/** Saves the day counts and bans of a store in memory shortly after they change. */
export class SavedCounts extends BackgroundSaving {
  private unsaved: CounterRow[] = [];

  constructor(
    private readonly counts: MemoryRateLimitStore,
    private readonly saved: Pick<TypeOrmCounterStore, 'save' | 'load'>,
  ) {
    super('Request counts', SAVE_EVERY_MS);
  }

  /** Restores what earlier processes have saved. Call it before the first request. */
  async restore(nowMs: number): Promise<void> {
    for await (const rows of this.saved.load(nowMs)) this.counts.restore(rows, nowMs);
    this.counts.trackChanges();
  }

  protected async save(): Promise<number | null> {
    if (this.unsaved.length === 0) this.unsaved = this.counts.drainChanges(ROWS_A_SAVE);
    const { length } = this.unsaved;
    if (length > 0) await this.saved.save(this.unsaved);
    this.unsaved = [];
    return length === ROWS_A_SAVE ? 0 : null;
  }
}
