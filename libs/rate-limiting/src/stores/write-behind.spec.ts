import { MIDNIGHT, MINUTE, NOON, planOf, UNTIL_BANNED, usageOf } from '../testing/callers.js';
import { type CounterRow, CounterStore, MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { WriteBehind } from './write-behind.js';

const plan = planOf(60, 100);

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

  function ask(id = 'key-7', times = 1): void {
    for (let count = 0; count < times; count++) store.consume({ id, plan }, NOON);
  }

  it('saves a change less than a second later', async () => {
    ask();
    expect(saved.rows.size).toBe(0);
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.rows.get('key-7')).toEqual({
      subject: 'key-7',
      caller: 'key-7',
      isAddress: false,
      windows: [{ key: 'day', endMs: MIDNIGHT, count: 1 }],
      banUntilMs: 0,
      banMs: 0,
      banRefusals: 0,
    });
  });

  it('saves nothing when nothing changed', async () => {
    ask();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(saved.saves).toBe(1);
  });

  it('restores counts and bans after the process was killed', async () => {
    ask('key-7', UNTIL_BANNED);
    ask('key-8', 40);
    await jest.advanceTimersByTimeAsync(500);
    await startProcess();
    expect(store.usage('key-7', NOON)).toMatchObject({ ban: { sinceMs: NOON, untilMs: NOON + MINUTE } });
    expect(await usageOf(store, NOON, 'key-8')).toMatchObject({ day: 40 });
  });

  it('never runs two saves at once, and misses no change that happens during one', async () => {
    saved.isHeld = true;
    ask();
    await jest.advanceTimersByTimeAsync(500);
    ask();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(saved.saves).toBe(1);
    saved.isHeld = false;
    saved.release();
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.rows.get('key-7')).toMatchObject({ windows: [{ count: 2 }] });
  });

  it('retries a failed save, and reports the failure once', async () => {
    saved.works = false;
    ask();
    ask('key-8');
    await jest.advanceTimersByTimeAsync(500);
    ask();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(errors).toEqual([new Error('disk full')]);
    saved.works = true;
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.rows.get('key-7')).toMatchObject({ windows: [{ count: 2 }] });
    expect(saved.rows.get('key-8')).toMatchObject({ windows: [{ count: 1 }] });
    saved.works = false;
    ask();
    await jest.advanceTimersByTimeAsync(500);
    expect(errors).toHaveLength(2);
  });

  it('saves many changes in several batches', async () => {
    for (let i = 0; i < 2_500; i++) ask(`key-${i}`);
    await jest.advanceTimersByTimeAsync(500);
    expect(saved.rows.size).toBe(2_500);
    expect(saved.saves).toBe(3);
  });

  it('saves the remaining changes when it stops, even during a running save', async () => {
    saved.isHeld = true;
    ask();
    await jest.advanceTimersByTimeAsync(500);
    ask();
    saved.isHeld = false;
    const stopped = writeBehind.stop();
    saved.release();
    await stopped;
    expect(saved.rows.get('key-7')).toMatchObject({ windows: [{ count: 2 }] });
  });

  it('rejects when the last save fails, and does not save again by itself', async () => {
    saved.works = false;
    ask();
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
