import { planProblem, Plans } from './plan.js';

const plans = new Plans({
  free: { perMinute: 2, perDay: 30 },
  pro: { perMinute: 3, perDay: 40 },
  business: { perMinute: 4, perDay: 50 },
});

describe('a plan', () => {
  it.each([
    ['free', 2, 30],
    ['pro', 3, 40],
    ['business', 4, 50],
  ] as const)('%s gives each key its limits of the settings', (name, perMinute, perDay) => {
    expect(plans.of(name)).toEqual({ name, perMinute, perDay });
  });

  it('enterprise has the limits of the key', () => {
    expect(plans.of('enterprise', { perMinute: 5, perDay: 70 })).toEqual({
      name: 'enterprise',
      perMinute: 5,
      perDay: 70,
    });
  });

  it.each([
    ['pro', { perMinute: 5 }, 'The limits of the pro plan are settings: leave out both.'],
    ['free', { perMinute: 5, perDay: 70 }, 'The limits of the free plan are settings: leave out both.'],
    ['enterprise', {}, 'The enterprise plan needs both limits: --per-minute and --per-day.'],
    ['enterprise', { perDay: 70 }, 'The enterprise plan needs both limits: --per-minute and --per-day.'],
    ['enterprise', { perMinute: 0, perDay: 70 }, 'A limit must be a whole number from 1 to 1000000000.'],
    ['enterprise', { perMinute: 5, perDay: 1.5 }, 'A limit must be a whole number from 1 to 1000000000.'],
    [
      'enterprise',
      { perMinute: 5, perDay: 1_000_000_001 },
      'A limit must be a whole number from 1 to 1000000000.',
    ],
  ] as const)('%s refuses %j', (name, limits, problem) => {
    expect(planProblem(name, limits)).toBe(problem);
    expect(() => plans.of(name, limits)).toThrow(problem);
  });
});
