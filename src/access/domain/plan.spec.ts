import { plans } from '../testing/api-key.builder.js';
import { planProblem } from './plan.js';

describe('a plan', () => {
  it.each([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ] as const)('%s has fixed limits', (name, perMinute, perDay) => {
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
    ['pro', { perMinute: 5 }, 'The pro plan has fixed limits: leave out both.'],
    ['free', { perMinute: 5, perDay: 70 }, 'The free plan has fixed limits: leave out both.'],
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
