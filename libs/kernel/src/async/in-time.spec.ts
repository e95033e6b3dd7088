import { FakeClock } from '../testing/fake-clock.js';
import { atMostEvery, inTime } from './in-time.js';

describe('inTime', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('has the result of work that ends in time, and leaves no timer', async () => {
    await expect(inTime(1_000, Promise.resolve('done'), 'The check')).resolves.toBe('done');

    expect(jest.getTimerCount()).toBe(0);
  });

  it('has the error of work that fails in time', async () => {
    await expect(inTime(1_000, Promise.reject(new RangeError()), 'The check')).rejects.toThrow(RangeError);
  });

  it('rejects when the work takes longer', async () => {
    const late = expect(inTime(1_000, new Promise(() => {}), 'The check')).rejects.toThrow(
      'The check took more than 1000 ms.',
    );
    await jest.advanceTimersByTimeAsync(1_001);

    await late;
  });

  it('counts a result that the process was too busy to read', async () => {
    let arrive: (result: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => (arrive = resolve));
    const limited = inTime(1_000, work, 'The check');
    // Behind the timer of the limit, and before what that has put off.
    setTimeout(() => arrive('done'), 1_000);
    await jest.advanceTimersByTimeAsync(1_001);

    await expect(limited).resolves.toBe('done');
  });
});

describe('atMostEvery', () => {
  it('does the work once within the time, and gives all callers its result', async () => {
    const clock = new FakeClock('2026-03-14T12:00:00.000Z');
    const count = jest.fn().mockResolvedValueOnce(1).mockResolvedValueOnce(2);
    const counted = atMostEvery(60_000, clock, count);

    expect(await Promise.all([counted(), counted()])).toEqual([1, 1]);
    clock.advance(59_999);
    expect(await counted()).toBe(1);
    clock.advance(1);
    expect(await counted()).toBe(2);
  });
});
