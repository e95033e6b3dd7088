import { Logger } from '@nestjs/common';
import { FakeClock, ManualTimers } from '@animal-store/kernel/testing';
import type { PlanName } from '../../domain/plan.js';
import { KeyCensus } from './key-census.js';

const CALLER = { operation: 'getPet', keyId: 'key_anna', day: 20_526, calls: 7 };

describe('KeyCensus', () => {
  const clock = new FakeClock('2026-03-14T12:00:00.000Z');
  let timers: ManualTimers;
  let countActive: jest.Mock<Promise<ReadonlyMap<PlanName, number>>, [number]>;
  let callersSince: jest.Mock;
  let census: KeyCensus;

  beforeEach(() => {
    timers = new ManualTimers();
    countActive = jest.fn().mockResolvedValue(new Map([['free', 2]]));
    callersSince = jest.fn().mockResolvedValue([CALLER]);
    census = new KeyCensus({ keys: { countActive }, deprecatedCalls: { callersSince } }, clock, timers.start);
    census.start();
  });

  afterEach(() => jest.restoreAllMocks());

  it('counts the active keys at the start and then every minute', async () => {
    expect(census.activeKeys.size).toBe(0);
    await timers.fire();
    expect(countActive).toHaveBeenCalledWith(clock.now());
    expect(census.activeKeys.get('free')).toBe(2);
    expect(timers.restsMs).toEqual([60_000]);

    countActive.mockResolvedValue(new Map([['free', 3]]));
    await timers.fire();
    expect(census.activeKeys.get('free')).toBe(3);
  });

  it('counts the calls of deprecated operations of the last 30 days too', async () => {
    await timers.fire();
    expect(callersSince).toHaveBeenCalledWith(20_526 - 29, 1_000);
    expect(census.deprecatedCallers).toEqual([CALLER]);
  });

  it('shows the last count and tries again when it fails, and logs only the changes', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    await timers.fire();
    countActive.mockRejectedValueOnce(new Error('gone')).mockRejectedValueOnce(new Error('gone'));
    await timers.fire();
    await timers.fire();
    expect(census.activeKeys.get('free')).toBe(2);
    await timers.fire();
    expect([error.mock.calls.length, log.mock.calls.length]).toEqual([1, 1]);
  });

  it('stops with the server', async () => {
    await census.beforeApplicationShutdown();
    expect(timers.restsMs).toEqual([]);
  });
});
