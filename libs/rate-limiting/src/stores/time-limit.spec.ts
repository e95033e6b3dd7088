import { setImmediate as nextTurn } from 'node:timers/promises';
import { TimeLimit } from './time-limit.js';

describe('TimeLimit', () => {
  it('does not count the time for which the process is busy in its turn', async () => {
    const afterTheNext = nextTurn().then(() => nextTurn('Rex'));
    const limited = new TimeLimit(5).apply(afterTheNext);
    const busyUntilMs = performance.now() + 20;
    while (performance.now() < busyUntilMs);
    await expect(limited).resolves.toBe('Rex');
  });
});
