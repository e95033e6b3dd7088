import { setImmediate as nextTurn } from 'node:timers/promises';
import { TimeLimit } from './time-limit.js';

describe('TimeLimit', () => {
  it('passes on what a promise resolves and rejects with', async () => {
    const limit = new TimeLimit(60_000);
    await expect(limit.apply(Promise.resolve('Rex'))).resolves.toBe('Rex');
    await expect(limit.apply(Promise.reject(new Error('connection lost')))).rejects.toThrow(
      'connection lost',
    );
  });

  it('rejects what never settles, and only that', async () => {
    const limit = new TimeLimit(1);
    const results = await Promise.allSettled([
      limit.apply(new Promise(() => {})),
      limit.apply(nextTurn('Rex')),
    ]);
    expect(results).toMatchObject([
      { status: 'rejected', reason: { message: 'No response within 1 ms.' } },
      { status: 'fulfilled', value: 'Rex' },
    ]);
  });

  it('does not count the time for which the process is busy in its turn', async () => {
    const afterTheNext = nextTurn().then(() => nextTurn('Rex'));
    const limited = new TimeLimit(5).apply(afterTheNext);
    const busyUntilMs = performance.now() + 20;
    while (performance.now() < busyUntilMs);
    await expect(limited).resolves.toBe('Rex');
  });
});
