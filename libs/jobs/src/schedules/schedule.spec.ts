import { cronSchedule, everySchedule, type Schedule } from './schedule.js';

/** The next times after this one, in UTC. */
function after(time: string, count: number, { next }: Schedule): string[] {
  const times: string[] = [];
  for (let ms = Date.parse(time); times.length < count;) times.push(new Date((ms = next(ms))).toISOString());
  return times;
}

const inBerlin = (pattern: string) => cronSchedule(pattern, { timeZone: 'Europe/Berlin' });

describe('A schedule', () => {
  it('comes at whole multiples of a duration', () => {
    expect(after('2026-03-14T12:07:00Z', 2, everySchedule('15m'))).toEqual([
      '2026-03-14T12:15:00.000Z',
      '2026-03-14T12:30:00.000Z',
    ]);
    expect(after('2026-03-14T12:15:00Z', 1, everySchedule('1d'))).toEqual(['2026-03-15T00:00:00.000Z']);
  });

  it('comes at the times of a pattern, in UTC or its time zone', () => {
    expect(after('2026-03-14T12:00:00Z', 1, cronSchedule('0 3 * * *'))).toEqual(['2026-03-15T03:00:00.000Z']);
    expect(after('2026-03-14T12:00:00Z', 1, inBerlin('0 3 * * *'))).toEqual(['2026-03-15T02:00:00.000Z']);
    expect(after('2026-03-14T12:00:00Z', 1, cronSchedule('@weekly'))).toEqual(['2026-03-15T00:00:00.000Z']);
  });

  it('continues every half an hour when clocks change', () => {
    expect(after('2026-10-25T00:00:00Z', 4, inBerlin('*/30 * * * *'))).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T01:30:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
    expect(after('2026-03-29T00:30:00Z', 2, inBerlin('*/30 * * * *'))).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T01:30:00.000Z',
    ]);
  });

  it.each([
    ['no duration', () => everySchedule('1w')],
    ['no time at all', () => everySchedule('0s')],
    ['no pattern', () => cronSchedule('daily')],
    ['seconds, or a year, which would be over', () => cronSchedule('0 0 3 1 1 *')],
    ['a day that never comes', () => cronSchedule('0 3 30 2 *')],
    ['a time zone that is none', () => cronSchedule('0 3 * * *', { timeZone: 'Europe/Rome-ish' })],
  ])('is refused at once: %s', (_, make) => {
    expect(make).toThrow(Error);
  });
});
