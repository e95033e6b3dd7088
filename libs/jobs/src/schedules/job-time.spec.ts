import { SystemClock } from '@animal-store/kernel';
import { JobTime } from './job-time.js';

class SetClock extends SystemClock {
  ms = 1_000;
  override readonly now = () => this.ms;
  override readonly monotonicMs = () => this.ms;
}

describe('The time of jobs', () => {
  const clock = new SetClock();
  const time = new JobTime(clock);

  it('lets a lease begin now as long as the machine is the clock', () => {
    clock.ms = 2_000;
    expect(time.leaseStartMs()).toBe(2_000);
  });

  it('lets a lease begin when PostgreSQL was asked, as it may have said its time before a jump', () => {
    clock.ms = 5_000;
    time.set(90_000, 4_000);
    clock.ms = 9_000;
    expect(time.leaseStartMs()).toBe(4_000);
    expect(time.now()).toBe(94_000);
  });

  it('is steady again a while after a jump of the clock of PostgreSQL', () => {
    clock.ms = 10_000;
    time.set(120_000, 10_000);
    clock.ms = 15_999;
    expect(time.isSteadyFor(6_000)).toBe(false);
    clock.ms = 16_000;
    expect(time.isSteadyFor(6_000)).toBe(true);
  });
});
