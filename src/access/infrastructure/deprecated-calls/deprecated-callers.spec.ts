import { Logger } from '@nestjs/common';
import { FakeClock, ManualTimers } from '@animal-store/kernel/testing';
import { DeprecatedCallers } from './deprecated-callers.js';

const CALLER = { operation: 'getPet', keyId: 'key_anna', day: 20_526, calls: 7 };

describe('DeprecatedCallers', () => {
  const clock = new FakeClock('2026-03-14T12:00:00.000Z');
  let timers: ManualTimers;
  let callersSince: jest.Mock;
  let callers: DeprecatedCallers;

  beforeEach(() => {
    timers = new ManualTimers();
    callersSince = jest.fn().mockResolvedValue([CALLER]);
    callers = new DeprecatedCallers({ deprecatedCalls: { callersSince } }, clock, timers.start);
    callers.start();
  });

  afterEach(() => jest.restoreAllMocks());

  it('are those of the last 30 days, read at the start and then every minute', async () => {
    expect(callers.latest).toEqual([]);
    await timers.fire();
    expect(callersSince).toHaveBeenCalledWith(20_526 - 29, 1_000);
    expect(callers.latest).toEqual([CALLER]);
    expect(timers.restsMs).toEqual([60_000]);

    callersSince.mockResolvedValue([]);
    await timers.fire();
    expect(callers.latest).toEqual([]);
  });

  it('stay as they were when they cannot be read, and only the changes are logged', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    await timers.fire();
    callersSince.mockRejectedValueOnce(new Error('gone')).mockRejectedValueOnce(new Error('gone'));
    await timers.fire();
    await timers.fire();
    expect(callers.latest).toEqual([CALLER]);
    await timers.fire();
    expect([error.mock.calls.length, log.mock.calls.length]).toEqual([1, 1]);
  });

  it('are not read any more when the server stops', async () => {
    await callers.beforeApplicationShutdown();
    expect(timers.restsMs).toEqual([]);
  });
});
