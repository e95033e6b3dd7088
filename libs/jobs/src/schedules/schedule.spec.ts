import { everySchedule } from './schedule.js';

describe('A schedule', () => {
  it('comes at whole multiples of a duration', () => {
    const after = (duration: string, time: string) =>
      new Date(everySchedule(duration).next(Date.parse(time))).toISOString();

    expect(after('15m', '2026-03-14T12:07:00Z')).toBe('2026-03-14T12:15:00.000Z');
    expect(after('15m', '2026-03-14T12:15:00Z')).toBe('2026-03-14T12:30:00.000Z');
    expect(after('1d', '2026-03-14T12:15:00Z')).toBe('2026-03-15T00:00:00.000Z');
  });

  it.each(['1w', '0s'])('is refused at once when it is no duration: %s', (duration) => {
    expect(() => everySchedule(duration)).toThrow(`"${duration}" is no duration such as 90s, 15m, 1h or 1d.`);
  });
});
