import { cronSchedule } from './schedule.js';

const ZONES =
  `Africa/Cairo Africa/Casablanca Africa/Johannesburg America/Asuncion America/Chicago America/Godthab America/Havana
  America/Los_Angeles America/New_York America/Nuuk America/Sao_Paulo America/Santiago America/Scoresbysund America/St_Johns
  Antarctica/Troll Asia/Beirut Asia/Gaza Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Tokyo Atlantic/Azores
  Australia/Adelaide Australia/Lord_Howe Europe/Berlin Europe/Chisinau Europe/Dublin Europe/London Pacific/Auckland
  Pacific/Chatham`.split(/\s+/);

const DAILY = ['00:00', '00:30', '01:00', '01:45', '02:15', '02:30', '03:00', '12:00', '22:30', '23:45'];
const PATTERNS: readonly (readonly [pattern: string, times: readonly string[]])[] = [
  ...DAILY.map((time) => [`${Number(time.slice(3))} ${Number(time.slice(0, 2))} * * *`, [time]] as const),
  ['0 1,13 * * *', ['01:00', '13:00']],
  ['*/30 0-3 * * *', ['00:00', '00:30', '01:00', '01:30', '02:00', '02:30', '03:00', '03:30']],
];

/** Clocks change at quarters of an hour, and the patterns have only such times. */
const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 4 * QUARTER_MS;
const FROM = Date.parse('2026-01-01T00:00:00Z');
const TO = Date.parse('2028-01-01T00:00:00Z');

/** What the clocks of a zone show at an hour, such as `2026-03-29 03:00`. */
function clocksOf(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return (ms) => format.format(ms);
}

/** All quarters of an hour of the days around each change of the clocks. */
function changesOf(show: (ms: number) => string): [ms: number, wall: string][][] {
  const changes: [number, string][][] = [];
  const shownMs = (ms: number) => Date.parse(`${show(ms)}Z`);
  let beforeMs = shownMs(FROM);
  for (let ms = FROM; ms < TO; ms += 6 * HOUR_MS) {
    const afterMs = shownMs(ms + 6 * HOUR_MS);
    const isSteady = afterMs - beforeMs === 6 * HOUR_MS;
    beforeMs = afterMs;
    if (isSteady) continue;
    const quarters: [number, string][] = [];
    for (let at = ms - 24 * HOUR_MS; at < ms + 48 * HOUR_MS; at += QUARTER_MS) quarters.push([at, show(at)]);
    changes.push(quarters);
  }
  return changes;
}

/** For each of these times and whole days, the first quarter that shows it, or else a later time. */
function reckoned(quarters: readonly [ms: number, wall: string][], times: readonly string[]): number[] {
  const days = [...new Set(quarters.map(([, wall]) => wall.slice(0, 10)))].slice(1, -1);
  const found = days.flatMap((day) =>
    times.map((time) => quarters.find(([, wall]) => wall >= `${day} ${time}`)![0]),
  );
  return [...new Set(found)].sort((one, other) => one - other);
}

describe('A cron pattern, in each of 30 zones for two years', () => {
  it.each(ZONES)('comes at each of its times once a day when the clocks of %s change', (timeZone) => {
    const show = clocksOf(timeZone);
    for (const quarters of changesOf(show))
      for (const [pattern, times] of PATTERNS) {
        const expected = reckoned(quarters, times);
        const { next } = cronSchedule(pattern, { timeZone });
        const found: number[] = [];
        for (let ms = expected[0]! - 1; found.length < expected.length;) found.push((ms = next(ms)));
        expect([pattern, ...found.map(show)]).toEqual([pattern, ...expected.map(show)]);
        expect(found).toEqual(expected);
      }
  });

  it.each(ZONES)('comes at a time of day once on every day in %s', (timeZone) => {
    const show = clocksOf(timeZone);
    const { next } = cronSchedule('15 2 * * *', { timeZone });
    const days: string[] = [];
    for (let ms = FROM; (ms = next(ms)) < TO;) days.push(show(ms).slice(0, 10));

    expect(new Set(days).size).toBe(days.length);
    expect(days.length).toBe(730);
  });
});
