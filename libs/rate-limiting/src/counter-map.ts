import { Counter } from './plan-window.js';

/** The most counters that one slice of a sweep looks at: short enough to be no pause. */
const MAX_SLICE = 5_000;

/** Counters by subject, with a cursor for sweeping them. */
export class CounterMap {
  private readonly bySubject = new Map<string, Counter>();
  private unswept = this.bySubject.values();
  /** The largest number of counters in this round, so that a sweep does not slow down as they become fewer. */
  private roundSize = 0;

  /** @param home what `Counter.home` says of each of them */
  constructor(private readonly home: object) {}

  get size(): number {
    return this.bySubject.size;
  }

  get(subject: string): Counter | undefined {
    return this.bySubject.get(subject);
  }

  add(subject: string): Counter {
    const counter = new Counter(subject);
    counter.home = this.home;
    this.bySubject.set(subject, counter);
    return counter;
  }

  drop(counter: Counter): void {
    if (!this.bySubject.delete(counter.subject)) return;
    counter.home = null;
    if (counter.keeper?.counter === counter) counter.keeper.counter = null;
    counter.keeper = null;
  }

  /** Checks the next counters, this share of all or at most `MAX_SLICE`, and drops those that may go. */
  sweep(share: number, mayGo: (counter: Counter) => boolean): void {
    this.roundSize = Math.max(this.roundSize, this.bySubject.size);
    for (let left = Math.min(Math.ceil(this.roundSize * share), MAX_SLICE); left > 0; left--) {
      const counter = this.next();
      if (counter === null) return;
      if (mayGo(counter)) this.drop(counter);
    }
  }

  /** Drops one of the next `count` counters, if one of them may go. */
  dropOne(count: number, mayGo: (counter: Counter) => boolean): void {
    for (let left = count; left > 0; left--) {
      const counter = this.next();
      if (counter !== null && mayGo(counter)) return this.drop(counter);
    }
  }

  /** Null after the last counter; then it starts again. */
  private next(): Counter | null {
    const { done, value } = this.unswept.next();
    if (!done) return value;
    this.unswept = this.bySubject.values();
    this.roundSize = 0;
    return null;
  }
}
