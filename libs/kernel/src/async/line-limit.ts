import type { Clock } from '../clock.js';

/** Bounds the memory: a name that is always another one has a line each time. */
const MAX_NAMES = 100;

/** Lets a log have at most one line of each name in a time, however often it happens. */
export class LineLimit {
  private readonly lines = new Map<string, { readonly atMs: number; count: number }>();

  constructor(
    private readonly everyMs: number,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {}

  /** How often it has happened since its last line, this time included; null while it may have no other one. */
  count(name: string): number | null {
    const nowMs = this.clock.monotonicMs();
    const last = this.lines.get(name);
    if (last && nowMs - last.atMs < this.everyMs) {
      last.count++;
      return null;
    }
    if (!last && this.lines.size === MAX_NAMES) this.lines.delete(this.lines.keys().next().value!);
    this.lines.set(name, { atMs: nowMs, count: 0 });
    return (last?.count ?? 0) + 1;
  }
}
