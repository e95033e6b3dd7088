import type { Pool, PoolClient } from 'pg';
import type { Connections } from '../connections/connections.js';
import { isOfConnection, StatementTimedOut } from '../postgres-errors.js';
import { type Column, rowOf, type SentStatement, type Texts } from '../round-trip.js';
import { SharedStatement } from './shared-statement.js';
import type { SqlValue } from '../../sql-session.js';
import type { CompiledStatement } from '../../statements/compiled-statement.js';
import { grouped, groupedTypeOf, keyOf } from '../../statements/grouped-statement.js';

/** The maximum of statements in flight for one text, so that slow ones leave connections to others. */
const MAX_STATEMENTS = 4;
/** The maximum of different reads in a statement, so that it is not slow. */
const MAX_READS = 100;
/** How many results of shared reads with one text are cached, and how many characters the rows of each may have. */
const MAX_CACHED = 50;
const MAX_KEPT_LENGTH = 20_000;

type Row = Record<string, unknown>;
export type ToResult<Result> = (rows: readonly Row[], isShared: boolean) => Result;

export interface ReadParts {
  readonly connections: Connections;
  readonly pool: Pool;
  /** Called with the error of a read. */
  readonly rethrow: (error: unknown) => never;
  /** How long a read may wait for its statement to begin. */
  readonly limitMs: number;
}

/**
 * Reads of PostgreSQL outside a transaction. While a statement is in flight, further reads with the same text wait for
 * it and then share the next statement, and equal ones their result. So the more requests there are, the fewer
 * statements each of them costs. When a statement finds the same rows as the one before, what was made of them is
 * shared, too.
 *
 * A statement begins after every read that it serves has arrived. So a read sees everything that was committed before
 * it, whichever server wrote it.
 */
export class GroupedReads {
  private readonly queues = new Map<CompiledStatement, ReadQueue>();

  constructor(private readonly parts: ReadParts) {}

  /** How many different reads wait for their statement to begin. */
  get waitingCount(): number {
    let count = 0;
    for (const queue of this.queues.values()) count += queue.waitingCount;
    return count;
  }

  /** The queue for reads with such arguments; null when each of them needs a statement of its own. */
  queueFor(statement: CompiledStatement, values: readonly SqlValue[]): ReadQueue | null {
    if (statement.groupable === null || values.length === 0) return null;
    if (values.some((value) => groupedTypeOf(value) === null)) return null;
    let queue = this.queues.get(statement);
    if (queue === undefined) this.queues.set(statement, (queue = new ReadQueue(statement, this.parts)));
    return queue;
  }
}

interface Read {
  readonly values: readonly SqlValue[];
  /** Equal reads that wait join it. */
  readonly key: string;
  isShared: boolean;
  found: Promise<Found>;
  /** What each `toResult` makes of the rows. */
  readonly results: Map<ToResult<unknown>, Promise<unknown>>;
}

/** The rows of a read as PostgreSQL sent them. */
class Found {
  /** @param first the place of the first column in a line */
  constructor(
    private readonly columns: readonly Column[],
    private readonly lines: readonly Texts[],
    private readonly first = 0,
  ) {}

  rows(): Row[] {
    return this.lines.map((line) => rowOf(this.columns, line, this.first));
  }

  equals({ columns, lines, first }: Found): boolean {
    if (lines.length !== this.lines.length) return false;
    for (let index = 0; index < columns.length; index++) {
      // Values of another type may have the same text.
      if (columns[index]!.parse !== this.columns[index]!.parse) return false;
      for (let row = 0; row < lines.length; row++)
        if (lines[row]![index + first] !== this.lines[row]![index + this.first]) return false;
    }
    return true;
  }

  get length(): number {
    return this.lines.reduce((sum, line) => line.reduce((all, text) => all + (text?.length ?? 0), sum), 0);
  }
}

/** What a read has found that has not been added yet. */
const NOTHING = Promise.resolve(new Found([], []));

/** Reads with one text: see GroupedReads. */
export class ReadQueue extends SharedStatement<Read, Found> {
  private readonly joinable = new Map<string, Read>();
  /** What was made of the rows of shared reads. */
  private readonly cached = new Map<string, { found: Found; toResult: ToResult<unknown>; result: unknown }>();

  constructor(
    private readonly statement: CompiledStatement,
    private readonly parts: ReadParts,
  ) {
    super({ max: MAX_READS, atOnce: MAX_STATEMENTS, limitMs: parts.limitMs });
  }

  /**
   * What `toResult` makes of the rows for these values. Equal reads with the same `toResult` get the same result.
   * @param requireCapacity throws when no further read may wait. A read that joins another one needs none.
   */
  read<Result>(
    values: readonly SqlValue[],
    toResult: ToResult<Result>,
    requireCapacity: () => void,
  ): Promise<Result> {
    const key = keyOf(values);
    let read = this.joinable.get(key);
    if (read === undefined) {
      requireCapacity();
      read = { values, key, isShared: false, found: NOTHING, results: new Map() };
      this.joinable.set(key, read);
      read.found = this.add(read);
    } else read.isShared = true;
    return (read.results.get(toResult) ?? this.made(read, toResult)) as Promise<Result>;
  }

  private made(read: Read, toResult: ToResult<unknown>): Promise<unknown> {
    const result = read.found.then(
      (found) => this.resultOf(read, found, toResult),
      (error: unknown) => {
        // The read may have been refused before it was sent.
        if (this.joinable.get(read.key) === read) this.joinable.delete(read.key);
        return this.parts.rethrow(error);
      },
    );
    read.results.set(toResult, result);
    return result;
  }

  private resultOf(read: Read, found: Found, toResult: ToResult<unknown>): unknown {
    const cached = this.cached.get(read.key);
    if (cached?.toResult === toResult && found.equals(cached.found)) return cached.result;
    const rows = found.rows();
    this.statement.hydrate(rows);
    const result = toResult(rows, read.isShared);
    this.cached.delete(read.key);
    if (!read.isShared || found.length > MAX_KEPT_LENGTH) return result;
    const [oldest] = this.cached.keys();
    if (this.cached.size === MAX_CACHED) this.cached.delete(oldest!);
    this.cached.set(read.key, { found, toResult, result });
    return result;
  }

  protected together(reads: readonly Read[]): Promise<Found[]> {
    return this.begin(reads, (client) => this.readGrouped(client, reads));
  }

  protected each(reads: readonly Read[]): Promise<Promise<Found>[]> {
    return this.begin(reads, (client) => this.readEach(client, reads));
  }

  private begin<T>(reads: readonly Read[], work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (const { key } of reads) this.joinable.delete(key);
    return this.parts.connections.run(this.parts.pool, work);
  }

  private sent(client: PoolClient, sql: string, values: readonly unknown[]): Promise<SentStatement> {
    const { connections } = this.parts;
    return connections.send(client, connections.names.of(sql), values, 'texts');
  }

  private async readGrouped(client: PoolClient, reads: readonly Read[]): Promise<Found[]> {
    const each = reads.map(({ values }) => values);
    const group = grouped(this.statement, each);
    if (group === null) return Promise.all(await this.readEach(client, reads));
    return foundByEach(await this.sent(client, group.sql, group.values), reads.length);
  }

  private async readEach(client: PoolClient, reads: readonly Read[]): Promise<Promise<Found>[]> {
    const found: Promise<Found>[] = [];
    for (const { values } of reads) {
      const sent = this.sent(client, this.statement.sql, values);
      found.push(sent.then(({ columns, rows }) => new Found(columns, rows as Texts[])));
      // The other reads would fail too, each after its time.
      await found.at(-1)!.catch((error: unknown) => isOfAll(error) && Promise.reject(error as Error));
    }
    return found;
  }
}

/** What each of so many reads has found. The first column of a grouped statement is the number of the read. */
export function foundByEach({ columns, rows }: SentStatement, count: number): Found[] {
  const own = columns.slice(1);
  const lines = Array.from({ length: count }, (): Texts[] => []);
  for (const line of rows as Texts[]) lines[Number(line[0]) - 1]!.push(line);
  return lines.map((each) => new Found(own, each, 1));
}

function isOfAll(error: unknown): boolean {
  return isOfConnection(error) || error instanceof StatementTimedOut;
}
