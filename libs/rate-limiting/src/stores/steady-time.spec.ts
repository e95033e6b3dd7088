import { SteadyTime } from './steady-time.js';

const NOON = Date.UTC(2030, 2, 1, 12);
const HOUR = 3_600_000;
const DAY = 86_400_000;

describe('steady time', () => {
  let passedMs: number;
  let time: SteadyTime;

  beforeEach(() => {
    passedMs = 5_000.25;
    time = new SteadyTime(() => passedMs);
    time.at(NOON);
  });

  it('equals the clock while nobody sets the clock', () => {
    passedMs += 250.5;
    expect(time.at(NOON + 250)).toBe(NOON + 250);
    expect(time.skew).toBe(0);
  });

  it('continues with the time that passes when the clock steps back, and returns how far it is ahead', () => {
    passedMs += 2_000;
    expect(time.at(NOON - 3 * DAY)).toBe(NOON + 2_000);
    expect(time.skew).toBe(3 * DAY + 2_000);
    for (let call = 0; call < 1_000; call++) {
      passedMs += 0.5;
      time.at(NOON - 3 * DAY);
    }
    expect(time.at(NOON - 3 * DAY)).toBe(NOON + 2_500);
  });

  it('equals the clock again when the clock steps forward to it', () => {
    time.at(NOON - HOUR);
    passedMs += 60_000;
    expect(time.at(NOON + 60_000)).toBe(NOON + 60_000);
    expect(time.skew).toBe(0);
  });

  it('follows a clock that steps forward', () => {
    expect(time.at(NOON + HOUR)).toBe(NOON + HOUR);
    expect(time.at(NOON)).toBe(NOON + HOUR);
  });

  it('stands still when the clock is set back by less than a second, so that such steps do not add up', () => {
    for (let step = 1; step <= 100; step++) {
      passedMs += 500;
      expect(time.at(NOON + step * 400)).toBe(NOON + step * 400);
    }
    expect(time.at(NOON + 39_500)).toBe(NOON + 40_000);
    expect(time.skew).toBe(500);
  });
});
