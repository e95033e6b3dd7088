import { Logger } from '@nestjs/common';
import { FakeClock, ManualTimers } from '@animal-store/kernel/testing';
import { Cleaner } from './cleaner.js';
import { type TemporaryDatabase, temporarySqlite } from './testing/temporary-database.js';

const MINUTE = 60_000;

describe('Cleaner', () => {
  let temporary: TemporaryDatabase;
  let clock: FakeClock;
  let timers: ManualTimers;
  let left: number;
  let steps: { after: number | null; limit: number }[];
  let logged: Record<'log' | 'warn' | 'error', jest.SpyInstance>;
  let cleaner: Cleaner<number>;

  beforeEach(async () => {
    temporary = await temporarySqlite();
    clock = new FakeClock();
    timers = new ManualTimers();
    left = 0;
    steps = [];
    const silent = (level: 'log' | 'warn' | 'error') =>
      jest.spyOn(Logger.prototype, level).mockReturnValue(undefined);
    logged = { log: silent('log'), warn: silent('warn'), error: silent('error') };
    const removeSome = async (after: number | null, limit: number) => {
      steps.push({ after, limit });
      const count = Math.min(limit, left);
      left -= count;
      return { count, end: count < limit ? null : left };
    };
    cleaner = new Cleaner(temporary.database, { table: 'notes', removeSome }, clock, timers.start);
    cleaner.onApplicationBootstrap();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await cleaner.beforeApplicationShutdown();
    await temporary.remove();
  });

  /** Runs one step. Returns the rest after it. */
  async function step(): Promise<number | undefined> {
    await timers.fire();
    return timers.restsMs[0];
  }

  it('begins ten seconds after the start, and stops with the server', async () => {
    expect(timers.restsMs).toEqual([10_000]);
    await cleaner.beforeApplicationShutdown();
    expect(timers.restsMs).toEqual([]);
  });

  it('removes a hundred rows a step, and rests longer than that takes', async () => {
    left = 250;

    expect(await step()).toBe(6);
    expect(await step()).toBe(6);
    expect(steps.map(({ limit }) => limit)).toEqual([100, 100]);
  });

  it('rests for ten seconds when nothing is left', async () => {
    left = 7;

    expect(await step()).toBe(10_000);
    expect(cleaner.removedCount).toBe(7);
  });

  it('continues where the last step ended, and at the beginning when nothing was left', async () => {
    left = 150;
    for (let count = 0; count < 3; count++) await step();

    expect(steps.map(({ after }) => after)).toEqual([null, 50, null]);
  });

  it('repeats a step that was rolled back', async () => {
    left = 150;
    await step();
    const failing = jest
      .spyOn(temporary.database.background, 'run')
      .mockRejectedValueOnce(new Error('the disk is full'));
    expect(await step()).toBe(10_000);
    failing.mockRestore();
    await step();

    expect(steps.map(({ after }) => after)).toEqual([null, 50]);
    expect(cleaner.removedCount).toBe(150);
  });

  it('logs once that it has fallen behind, and once that it has caught up', async () => {
    left = 100_000;
    await step();
    clock.advance(10 * MINUTE);
    await step();
    expect(logged.warn).not.toHaveBeenCalled();
    clock.advance(1);
    await step();
    await step();
    expect(logged.warn.mock.calls).toEqual([
      [
        'Removing expired rows of notes has fallen behind: there have been rows left to remove for 10 minutes.',
      ],
    ]);
    expect(cleaner.behindMs).toBe(10 * MINUTE + 1);

    left = 0;
    await step();
    await step();
    expect(logged.log.mock.calls).toEqual([['Removing expired rows of notes has caught up.']]);
    expect(cleaner.behindMs).toBe(0);
  });

  it('logs once that rows cannot be removed, tries again, and logs when it succeeds', async () => {
    const failing = jest
      .spyOn(temporary.database.background, 'run')
      .mockRejectedValue(new Error('the disk is full'));
    expect(await step()).toBe(10_000);
    expect(await step()).toBe(10_000);
    expect(logged.error).toHaveBeenCalledTimes(1);
    failing.mockRestore();
    await step();

    expect(logged.log.mock.calls).toEqual([['Expired rows of notes can be removed again.']]);
  });

  it('falls behind also while rows cannot be removed', async () => {
    jest.spyOn(temporary.database.background, 'run').mockRejectedValue(new Error('the disk is full'));
    clock.advance(10 * MINUTE + 1);
    await step();

    expect(logged.warn).toHaveBeenCalledTimes(1);
  });
});
