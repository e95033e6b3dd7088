/** Random choices that depend only on a seed and a name (mulberry32). */
export class Random {
  private state: number;

  constructor(seed: number, name: string) {
    this.state = seed >>> 0;
    // Each name has its own sequence, so the choices of one actor do not depend on the timing of the others.
    for (const character of name) this.state = (Math.imul(this.state, 31) + character.charCodeAt(0)) >>> 0;
  }

  /** A number from 0 up to but not including 1. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]!;
  }

  /** Text of `length` characters from 0x00 to 0xff. */
  bytes(length: number): string {
    return String.fromCharCode(...Array.from({ length }, () => this.between(0, 255)));
  }
}
