import { Logger } from '@nestjs/common';
import { type CounterRow, MemoryRateLimitStore, perDay, perMinute } from '@animal-store/rate-limiting';
import { SavedCounts } from './saved-counts.js';

const NOON = Date.UTC(2026, 2, 14, 12);
const plan = [perMinute(60), perDay(1_000)];

/** Rows by subject, in pages of one. */
class SavedRows {
  readonly rows = new Map<string, CounterRow>();
  saves = 0;
  isPaused = false;
  /** Ends a save that is blocked. */
  release: () => void = () => undefined;

  async save(rows: readonly CounterRow[]): Promise<void> {
    this.saves++;
    if (this.isPaused) await new Promise<void>((resolve) => (this.release = resolve));
    for (const row of rows) this.rows.set(row.subject, row);
  }

  async *load(): AsyncIterable<CounterRow[]> {
    for (const row of this.rows.values()) yield await Promise.resolve([row]);
  }

  usedToday(subject: string): number | undefined {
    return this.rows.get(subject)?.windows[0]?.count;
  }
}

describe('SavedCounts', () => {
  let saved: SavedRows;
  let store: MemoryRateLimitStore;
  let counts: SavedCounts;

  beforeEach(async () => {
    jest.useFakeTimers();
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    saved = new SavedRows();
    await startProcess();
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  async function startProcess(): Promise<void> {
    store = new MemoryRateLimitStore();
    counts = new SavedCounts(store, saved);
    await counts.restore(NOON);
    counts.onApplicationBootstrap();
  }

  function request(id: string, times = 1): void {
    for (let count = 0; count < times; count++) store.consume({ id, plan }, NOON);
  }

  it('are saved less than a second after a change, and not again without one', async () => {
    request('anna');
    expect(saved.rows.size).toBe(0);
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.usedToday('anna')).toBe(1);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(saved.saves).toBe(1);
  });

  it('are there again, with bans, after the process was killed', async () => {
    request('anna', 60 + 30);
    request('bert', 40);
    await jest.advanceTimersByTimeAsync(500);
    await startProcess();

    expect(store.usage('anna', NOON).ban).toMatchObject({ untilMs: NOON + 60_000 });
    expect(store.usage('bert', NOON).windows).toMatchObject([{ seconds: 'day', used: 40 }]);
  });

  it('are never saved twice at once, and no change during a save is missed', async () => {
    saved.isPaused = true;
    request('anna');
    await jest.advanceTimersByTimeAsync(500);
    request('anna');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(saved.saves).toBe(1);

    saved.isPaused = false;
    saved.release();
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.usedToday('anna')).toBe(2);
  });

  it('are saved in several parts when there are many', async () => {
    for (let index = 0; index < 2_500; index++) request(`key-${index}`);
    await jest.advanceTimersByTimeAsync(510);
    expect([saved.rows.size, saved.saves]).toEqual([2_500, 3]);
  });

  it('are all saved at the shutdown, during a save too', async () => {
    saved.isPaused = true;
    request('anna');
    await jest.advanceTimersByTimeAsync(500);
    for (let index = 0; index < 1_500; index++) request(`key-${index}`);
    saved.isPaused = false;
    const stopped = counts.beforeApplicationShutdown();
    saved.release();
    await stopped;
    expect(saved.rows.size).toBe(1_501);
  });

  it('do not start when those that were saved cannot be read', async () => {
    saved.load = () => {
      throw new Error('no such table');
    };
    await expect(startProcess()).rejects.toThrow('no such table');
  });
});
