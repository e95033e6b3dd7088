import { type CounterRow, CounterStore, MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { WriteBehind } from './write-behind.js';

const NOON = Date.UTC(2030, 2, 1, 12);
const MARCH_FIRST = NOON / 86_400_000 - 0.5;
const plan = { perMinute: 60, perDay: 100 };

class FakeCounterStore extends CounterStore {
  readonly rows = new Map<string, CounterRow>();
  saves = 0;
  works = true;
  isReadable = true;
  /** Ends a save that the test delays. */
  release: () => void = () => {};
  isHeld = false;

  async save(rows: readonly CounterRow[]): Promise<void> {
    this.saves++;
    if (this.isHeld) await new Promise<void>((resolve) => (this.release = resolve));
    if (!this.works) throw new Error('disk full');
    for (const row of rows) this.rows.set(row.subject, row);
  }

  /** A page for each row. */
  async *load(): AsyncIterable<CounterRow[]> {
    if (!this.isReadable) throw new Error('no such table');
    for (const row of this.rows.values()) yield [row];
  }
}

describe('WriteBehind', () => {
  let saved: FakeCounterStore;
  let store: MemoryRateLimitStore;
  let writeBehind: WriteBehind;
  let errors: unknown[];

  beforeEach(async () => {
    jest.useFakeTimers();
    saved = new FakeCounterStore();
    errors = [];
    await startProcess();
  });
  afterEach(async () => {
    saved.works = true;
    saved.isHeld = false;
    saved.release();
    await writeBehind.stop();
    jest.useRealTimers();
  });

  async function startProcess(): Promise<void> {
    store = new MemoryRateLimitStore();
    writeBehind = new WriteBehind(store, saved, {
      now: () => NOON,
      onError: (cause) => errors.push(cause),
    });
    await writeBehind.start();
  }

  it('saves a change less than a second later', async () => {
    store.consume({ id: 'key-7', plan }, NOON);
    expect(saved.rows.size).toBe(0);
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.rows.get('key-7')).toEqual({
      subject: 'key-7',
      isAddress: false,
      day: MARCH_FIRST,
      dayCount: 1,
      banUntilMs: 0,
      banMs: 0,
    });
  });

  it('saves nothing when nothing changed', async () => {
    store.consume({ id: 'key-7', plan }, NOON);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(saved.saves).toBe(1);
  });

  it('restores counts and bans after the process was killed', async () => {
    for (let i = 0; i < 60 + 30; i++) store.consume({ id: 'key-7', plan }, NOON);
    for (let i = 0; i < 40; i++) store.consume({ id: 'key-8', plan }, NOON);
    await jest.advanceTimersByTimeAsync(500);
    await startProcess();
    expect(store.consume({ id: 'key-7', plan }, NOON + 1_000)).toMatchObject({ code: 'api_key_banned' });
    let allowed = 0;
    for (let minute = 0; minute < 5; minute++) {
      for (let i = 0; i < 60; i++) {
        if (store.consume({ id: 'key-8', plan }, NOON + minute * 60_000).allowed) allowed++;
      }
    }
    expect(allowed).toBe(60);
  });

  it('never runs two saves at once, and misses no change that happens during one', async () => {
    saved.isHeld = true;
    store.consume({ id: 'key-7', plan }, NOON);
    await jest.advanceTimersByTimeAsync(500);
    store.consume({ id: 'key-7', plan }, NOON);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(saved.saves).toBe(1);
    saved.isHeld = false;
    saved.release();
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.rows.get('key-7')).toMatchObject({ dayCount: 2 });
  });

  it('retries a failed save, and reports the failure once', async () => {
    saved.works = false;
    store.consume({ id: 'key-7', plan }, NOON);
    store.consume({ id: 'key-8', plan }, NOON);
    await jest.advanceTimersByTimeAsync(500);
    store.consume({ id: 'key-7', plan }, NOON);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(errors).toEqual([new Error('disk full')]);
    saved.works = true;
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.rows.get('key-7')).toMatchObject({ dayCount: 2 });
    expect(saved.rows.get('key-8')).toMatchObject({ dayCount: 1 });
    saved.works = false;
    store.consume({ id: 'key-7', plan }, NOON);
    await jest.advanceTimersByTimeAsync(500);
    expect(errors).toHaveLength(2);
  });

  it('saves many changes in several batches', async () => {
    for (let i = 0; i < 2_500; i++) store.consume({ id: `key-${i}`, plan }, NOON);
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.rows.size).toBe(2_500);
    expect(saved.saves).toBe(3);
  });

  it('saves the remaining changes when it stops, even during a running save', async () => {
    saved.isHeld = true;
    store.consume({ id: 'key-7', plan }, NOON);
    await jest.advanceTimersByTimeAsync(500);
    store.consume({ id: 'key-7', plan }, NOON);
    saved.isHeld = false;
    const stopped = writeBehind.stop();
    saved.release();
    await stopped;
    expect(saved.rows.get('key-7')).toMatchObject({ dayCount: 2 });
  });

  it('rejects when the last save fails, and does not save again by itself', async () => {
    saved.works = false;
    store.consume({ id: 'key-7', plan }, NOON);
    await expect(writeBehind.stop()).rejects.toThrow('disk full');
    saved.works = true;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(saved.rows.size).toBe(0);
  });

  it('does not start with saved counters that cannot be read', async () => {
    saved.isReadable = false;
    await expect(startProcess()).rejects.toThrow('no such table');
  });
});
