import { Logger } from '@nestjs/common';
import { Cleaner, type ExpiredRows } from './cleaner.js';
import { type TemporaryDatabase, temporarySqlite } from './testing/temporary-database.js';

const MINUTE = 60_000;

describe('Cleaner', () => {
  let temporary: TemporaryDatabase;
  let nowMs: number;
  let left: number;
  let msARow: number;
  let limits: number[];
  let removed: number;
  let logged: Record<'log' | 'warn' | 'error', jest.SpyInstance>;
  let cleaner: Cleaner;

  beforeEach(async () => {
    temporary = await temporarySqlite();
    nowMs = 1_000_000;
    left = 0;
    msARow = 0.02;
    limits = [];
    removed = 0;
    const silent = (level: 'log' | 'warn' | 'error') =>
      jest.spyOn(Logger.prototype, level).mockReturnValue(undefined);
    logged = { log: silent('log'), warn: silent('warn'), error: silent('error') };
    const rows: ExpiredRows = {
      table: 'notes',
      removeSome: async (limit) => {
        limits.push(limit);
        const count = Math.min(limit, left);
        left -= count;
        nowMs += count * msARow;
        return { count, isEnd: count < limit };
      },
    };
    cleaner = new Cleaner(temporary.database, rows, {
      nowMs: () => nowMs,
      onRemoved: (count) => (removed += count),
    });
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await cleaner.stop();
    await temporary.remove();
  });

  it('rests for ten seconds when nothing is left', async () => {
    left = 7;

    expect(await cleaner.step()).toBe(10_000);
    expect(removed).toBe(7);
  });

  it('rests three times as long as it worked while more is left', async () => {
    left = 1_000;

    expect(await cleaner.step()).toBe(6);
    expect(removed).toBe(100);
  });

  it.each([
    ['quick', 0.005, 400],
    ['slow', 0.015, 133],
  ])('removes as many rows a step as take about 2 ms when removing is %s', async (_, ms, limit) => {
    left = 100_000;
    msARow = ms;
    for (let count = 0; count < 8; count++) await cleaner.step();

    expect(limits.at(-1)).toBe(limit);
  });

  it('still removes up to 100 rows a step, and rests no longer, on a busy machine', async () => {
    left = 100_000;
    msARow = 10;

    expect(await cleaner.step()).toBe(6);
    expect(await cleaner.step()).toBe(6);
    expect(limits).toEqual([100, 100]);
  });

  it('removes more than 5,000 rows a second when one takes 40 µs', async () => {
    left = 1_000_000;
    msARow = 0.04;
    const beganMs = nowMs;
    while (nowMs < beganMs + 10_000) nowMs += await cleaner.step();

    expect(removed).toBeGreaterThan(50_000);
  });

  it('logs once that it has fallen behind, and once that it has caught up', async () => {
    left = 100_000;
    msARow = 0;
    await cleaner.step();
    nowMs += 10 * MINUTE;
    await cleaner.step();
    expect(logged.warn).not.toHaveBeenCalled();
    nowMs += 1;
    await cleaner.step();
    await cleaner.step();
    expect(logged.warn.mock.calls).toEqual([
      [
        'Removing expired rows of notes has fallen behind: there have been rows left to remove for 10 minutes.',
      ],
    ]);
    expect(cleaner.behindMs).toBe(10 * MINUTE + 1);

    left = 0;
    await cleaner.step();
    await cleaner.step();
    expect(logged.log.mock.calls).toEqual([['Removing expired rows of notes has caught up.']]);
    expect(cleaner.behindMs).toBe(0);
  });

  it('logs once that rows cannot be removed, tries again, and logs when it succeeds', async () => {
    const failing = jest.spyOn(temporary.database, 'run').mockRejectedValue(new Error('the disk is full'));
    expect(await cleaner.step()).toBe(10_000);
    expect(await cleaner.step()).toBe(10_000);
    expect(logged.error).toHaveBeenCalledTimes(1);
    failing.mockRestore();
    await cleaner.step();

    expect(logged.log.mock.calls).toEqual([['Expired rows of notes can be removed again.']]);
  });
});
