import { SteadyTime } from './steady-time.js';

// What a step back and forward does is in the contract of the stores.
describe('steady time', () => {
  it('stops when the clock is set back by less than a second, so that such steps do not add up', () => {
    let passedMs = 5_000.25;
    const time = new SteadyTime(() => passedMs);
    const noon = time.at(Date.UTC(2030, 2, 1, 12));
    for (let step = 1; step <= 100; step++) {
      passedMs += 500;
      expect(time.at(noon + step * 400)).toBe(noon + step * 400);
    }
    expect(time.at(noon + 39_500)).toBe(noon + 40_000);
    expect(time.skew).toBe(500);
  });
});
