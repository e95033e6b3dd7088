import { DAY_MS } from '@animal-store/kernel';

/** Changes of clocks are further apart than this, and no zone is further from UTC. */
const AROUND_MS = 1.5 * DAY_MS;
const PARTS = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;

/**
 * The clocks of a time zone. A wall time is what they show, as the milliseconds of the same date and time in UTC. All
 * times are whole seconds.
 */
export class TimeZone {
  private readonly format: Intl.DateTimeFormat;

  /** @throws RangeError when there is no such zone */
  constructor(timeZone: string) {
    const options = { ...PARTS, minute: 'numeric', second: 'numeric', hourCycle: 'h23', timeZone } as const;
    this.format = new Intl.DateTimeFormat('en-US', options);
  }

  wallAt(ms: number): number {
    const parts = this.format.formatToParts(ms);
    const of = (type: string) => Number(parts.find((part) => part.type === type)!.value);
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  }

  /** How far the clocks are ahead of UTC. */
  offsetAt(ms: number): number {
    const seconds = Math.floor(ms / 1_000) * 1_000;
    return this.wallAt(seconds) - seconds;
  }

  /** When the clocks show this for the first time. A time that they leave out is the moment in which they do. */
  firstAt(wall: number): number {
    const [before, after] = [this.offsetAt(wall - AROUND_MS), this.offsetAt(wall + AROUND_MS)];
    const [earliest, latest] = [wall - Math.max(before, after), wall - Math.min(before, after)];
    if (this.wallAt(earliest) === wall) return earliest;
    if (this.wallAt(latest) === wall) return latest;
    return this.changeBetween(earliest, latest);
  }

  /** The first moment after a change of the clocks, of which there is one between the two. */
  changeBetween(beforeMs: number, afterMs: number): number {
    const offset = this.offsetAt(afterMs);
    let [before, after] = [Math.floor(beforeMs / 1_000), afterMs / 1_000];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.offsetAt(middle * 1_000) === offset) after = middle;
      else before = middle;
    }
    return after * 1_000;
  }
}
