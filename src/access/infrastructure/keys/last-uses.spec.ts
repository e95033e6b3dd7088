import { Logger } from '@nestjs/common';
import { ManualTimers } from '@animal-store/kernel/testing';
import { LastUses } from './last-uses.js';

const TODAY = 20_526;

describe('LastUses', () => {
  let timers: ManualTimers;
  let saved: [ids: readonly string[], day: number][];
  let failure: Error | null;
  let meanwhile: () => void;
  let uses: LastUses;

  beforeEach(() => {
    timers = new ManualTimers();
    saved = [];
    failure = null;
    meanwhile = () => {};
    const noteUses = async (ids: readonly string[], day: number) => {
      meanwhile();
      if (failure) throw failure;
      saved.push([ids, day]);
    };
    uses = new LastUses({ keys: { noteUses } });
    uses.onApplicationBootstrap();
  });

  afterEach(() => jest.restoreAllMocks());

  it('saves the uses of a second together, and each once', async () => {
    expect(uses.note('key_anna', TODAY)).toBe(true);
    expect(uses.note('key_bert', TODAY)).toBe(true);
    expect(timers.restsMs).toEqual([1_000]);
    await timers.fire();
    await timers.fire();
    expect(saved).toEqual([[['key_anna', 'key_bert'], TODAY]]);
    expect(timers.restsMs).toEqual([1_000]);
  });

  it('saves a hundred keys a step, and rests in between', async () => {
    for (let key = 0; key < 250; key++) uses.note(`key_${key}`, TODAY);
    const rests: number[] = [];
    for (let step = 0; step < 3; step++) {
      await timers.fire();
      rests.push(...timers.restsMs);
    }
    expect(saved.map(([ids]) => ids.length)).toEqual([100, 100, 50]);
    expect(new Set(saved.flatMap(([ids]) => ids)).size).toBe(250);
    expect(rests).toEqual([200, 200, 1_000]);
  });

  it('saves days apart, also of a key that is used on the next day while it saves', async () => {
    uses.note('key_anna', TODAY);
    uses.note('key_bert', TODAY);
    meanwhile = () => uses.note('key_anna', TODAY + 1);
    await timers.fire();
    meanwhile = () => {};
    await timers.fire();
    expect(saved).toEqual([
      [['key_anna', 'key_bert'], TODAY],
      [['key_anna'], TODAY + 1],
    ]);
  });

  it('has what could not be saved wait, and logs only the changes', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    uses.note('key_anna', TODAY);
    failure = new Error('gone');
    await timers.fire();
    await timers.fire();
    failure = null;
    await timers.fire();
    expect(saved).toEqual([[['key_anna'], TODAY]]);
    expect([error.mock.calls.length, log.mock.calls.length]).toEqual([1, 1]);
  });

  it('takes no further key when a hundred thousand wait, until some are saved', async () => {
    for (let key = 0; key < 100_000; key++) uses.note(`key_${key}`, TODAY);
    expect(uses.note('key_anna', TODAY)).toBe(false);
    expect(uses.note('key_0', TODAY)).toBe(true);
    await timers.fire();
    expect(uses.note('key_anna', TODAY)).toBe(true);
  });

  it('saves all that wait when the server stops, and does not wait for an unavailable database', async () => {
    for (let key = 0; key < 450; key++) uses.note(`key_${key}`, TODAY);
    await uses.beforeApplicationShutdown();
    expect(saved.flatMap(([ids]) => ids)).toHaveLength(450);
    expect(timers.restsMs).toEqual([]);

    uses.note('key_anna', TODAY);
    failure = new Error('gone');
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    await uses.beforeApplicationShutdown();
    expect(error).toHaveBeenCalledTimes(1);
  });
});
