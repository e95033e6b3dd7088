import { Logger } from '@nestjs/common';
import { FakeClock, ManualTimers } from '@animal-store/kernel/testing';
import type { DeprecatedCalls } from '../../domain/deprecated-calls.js';
import { DeprecatedCallCounter } from './deprecated-call.counter.js';

const TODAY = 20_526;
const zoo = (keyId: string) => ({ keyId, account: 'zoo' });

describe('DeprecatedCallCounter', () => {
  let clock: FakeClock;
  let timers: ManualTimers;
  let saved: DeprecatedCalls[][];
  let failure: Error | null;
  let meanwhile: () => void;
  let counter: DeprecatedCallCounter;

  beforeEach(() => {
    clock = new FakeClock('2026-03-14T23:59:59.000Z');
    timers = new ManualTimers();
    saved = [];
    failure = null;
    meanwhile = () => {};
    const add = async (calls: readonly DeprecatedCalls[]) => {
      meanwhile();
      if (failure) throw failure;
      saved.push([...calls]);
    };
    counter = new DeprecatedCallCounter({ deprecatedCalls: { add } }, clock);
    counter.onApplicationBootstrap();
  });

  afterEach(() => jest.restoreAllMocks());

  const ofAnna = { operation: 'getPet', keyId: 'key_anna', account: 'zoo', day: TODAY, calls: 1 };

  it('saves the calls of each key by operation a second later, and each call once', async () => {
    counter.count('getPet', zoo('key_anna'));
    counter.count('getPet', zoo('key_anna'));
    counter.count('oldPet', zoo('key_anna'));
    counter.count('getPet', zoo('key_bert'));
    expect(timers.restsMs).toEqual([1_000]);
    await timers.fire();
    expect(saved).toEqual([
      [
        { ...ofAnna, calls: 2 },
        { ...ofAnna, operation: 'oldPet' },
        { ...ofAnna, keyId: 'key_bert' },
      ],
    ]);
    await timers.fire();
    expect(saved).toHaveLength(1);
    counter.count('getPet', zoo('key_anna'));
    await timers.fire();
    expect(saved[1]).toEqual([ofAnna]);
  });

  it('saves calls of different days apart, also when the first could not be saved', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    counter.count('getPet', zoo('key_anna'));
    failure = new Error('gone');
    await timers.fire();
    clock.advance(1_000);
    counter.count('getPet', zoo('key_anna'));
    await timers.fire();
    failure = null;
    await timers.fire();
    expect(saved).toEqual([[ofAnna, { ...ofAnna, day: TODAY + 1 }]]);
    expect([error.mock.calls.length, log.mock.calls.length]).toEqual([1, 1]);
    await timers.fire();
    expect(saved).toHaveLength(1);
  });

  it('counts the keys of an account beyond the first twenty of a day together, and hides no other account', async () => {
    for (let key = 0; key < 22; key++) counter.count('getPet', zoo(`key_${key}`));
    counter.count('getPet', zoo('key_0'));
    counter.count('getPet', { keyId: 'key_anna', account: 'ark' });
    counter.count('getPet', null);
    await timers.fire();
    expect(saved[0]).toHaveLength(23);
    expect(saved[0]![0]).toEqual({ ...ofAnna, keyId: 'key_0', calls: 2 });
    expect(saved[0]!.slice(20)).toEqual([
      { ...ofAnna, keyId: 'other zoo', calls: 2 },
      { ...ofAnna, account: 'ark' },
      { ...ofAnna, account: null, keyId: 'none' },
    ]);
  });

  it('counts the accounts beyond the first ten thousand of a day together', async () => {
    for (let account = 0; account < 10_002; account++)
      counter.count('getPet', { keyId: `key_${account}`, account: `account ${account}` });
    await timers.fire();
    expect(saved[0]!.at(-1)).toEqual({ ...ofAnna, account: null, keyId: 'other', calls: 2 });
  });
});
