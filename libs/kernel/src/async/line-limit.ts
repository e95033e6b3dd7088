import type { Clock } from '../clock.js';

/** Bounds the memory: with more names than this, each occurrence may be logged. */
const MAX_NAMES = 100;

/** Limits a log to one line of each name within `everyMs`. */
export class LineLimit {
  private readonly lines = new Map<string, { readonly atMs: number; count: number }>();

  constructor(
    private readonly everyMs: number,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {}

  /** The occurrences since the last line of this name, this one included; null while no further line is allowed. */
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
