/** Bounds a reading and its memory: a script may have changed every row. */
const ROWS_A_READ = 1_000;

/** A row that names when it was changed, later than every change committed before; null when it never was. */
export interface ChangedRow {
  readonly changedAtMs: number | null;
}

/** Where changed rows are read. */
export interface ChangeSource<Row extends ChangedRow> {
  /** The latest change, or null when there is none. A feed from a given time on does not call it. */
  latestChangeMs?(): Promise<number | null>;
  /** The rows that were changed after this time, in the order of their changes; at most `limit` of them. */
  changedAfter(afterMs: number, limit: number): Promise<readonly Row[]>;
}

/**
 * What any process has changed since the last reading. It compares the times of changes alone, never the clock of this
 * host, which may differ from that of the host that made the change. A change costs what has changed.
 *
 * @example
 * const feed = new ChangeFeed(keys, (changed) => authenticator.apply(changed));
 * await feed.read(); // about once a second, never twice at a time
 */
export class ChangeFeed<Row extends ChangedRow> {
  private sinceMs: number | null;

  /**
   * @param apply called for each part of a reading, `isLast` with the last one, which may be empty. What it rejects is
   *   read again, so it may see a row twice.
   * @param options `sinceMs` where the first reading begins; without it at the latest change of then
   */
  constructor(
    private readonly source: ChangeSource<Row>,
    private readonly apply: (changed: readonly Row[], isLast: boolean) => void | Promise<void>,
    { sinceMs = null }: { readonly sinceMs?: number | null } = {},
  ) {
    this.sinceMs = sinceMs;
  }

  async read(): Promise<void> {
    this.sinceMs ??= (await this.source.latestChangeMs?.()) ?? 0;
    let isLast = false;
    while (!isLast) {
      const changed = await this.source.changedAfter(this.sinceMs, ROWS_A_READ);
      isLast = changed.length < ROWS_A_READ;
      await this.apply(changed, isLast);
      this.sinceMs = changed.at(-1)?.changedAtMs ?? this.sinceMs;
    }
  }
}
