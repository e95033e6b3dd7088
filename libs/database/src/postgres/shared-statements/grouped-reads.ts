import { Batcher } from '@animal-store/kernel';
import { isOfConnection } from '../postgres-errors.js';
import { SharedStatement } from './shared-statement.js';
import type { SqlValue } from '../../sql-session.js';
import type { CompiledStatement } from '../../statements/compiled-statement.js';
import { groupedSql, groupedTypeOf } from '../../statements/grouped-statement.js';

/** How long a read waits for a statement under way before another one begins beside it. */
export const PATIENCE_MS = 10;
/** The maximum of statements under way for one text, so that slow ones leave connections to others. */
const MAX_STATEMENTS = 4;
/** The maximum of different reads in a statement, so that it is not slow. */
const MAX_READS = 100;

type Row = Record<string, unknown>;
/** Returns the rows of a read, or throws its error. */
type Found = () => Row[];
export type ToResult<Result> = (rows: readonly Row[], isShared: boolean) => Result;

/** Runs a prepared statement. In the mode `array`, rows are arrays of their values. */
export type Run = <Line>(sql: string, values: readonly unknown[], rowMode?: 'array') => Promise<Line[]>;

export interface ReadConnections {
  /** Runs statements on one connection. */
  onConnection<T>(work: (run: Run) => Promise<T>): Promise<T>;
  /** Called with the error of a read. */
  rethrow(error: unknown): never;
  /** How long a read may wait for its statement to begin. */
  readonly limitMs: number;
}

/**
 * Reads of PostgreSQL outside a transaction. While a statement is under way, further reads with the same text wait for
 * it and then share the next statement, and equal ones their result. So the more requests there are, the fewer
 * statements each of them costs.
 *
 * A statement begins after every read that it serves has arrived. So a read sees everything that was committed before
 * it, whichever server wrote it.
 */
export class GroupedReads {
  private readonly queues = new Map<CompiledStatement, ReadQueue>();

  constructor(private readonly connections: ReadConnections) {}

  /** How many different reads wait for their statement to begin. */
  get waitingCount(): number {
    let count = 0;
    for (const queue of this.queues.values()) count += queue.waitingCount;
    return count;
  }

  /** The queue for reads with such arguments; null when each of them needs a statement of its own. */
  queueFor(statement: CompiledStatement, values: readonly SqlValue[]): ReadQueue | null {
    if (statement.groupable === null || values.length === 0) return null;
    let queue = this.queues.get(statement);
    if (queue === undefined) {
      const types = values.map(groupedTypeOf);
      if (types.includes(null)) return null;
      this.queues.set(statement, (queue = new ReadQueue(statement, types as string[], this.connections)));
    }
    return queue.accepts(values) ? queue : null;
  }
}

interface Read {
  readonly values: readonly SqlValue[];
  /** Equal reads that wait join it. */
  readonly key: string;
  isShared: boolean;
  rows: Promise<Row[]>;
  /** What each `toResult` makes of the rows. */
  readonly results: Map<ToResult<unknown>, Promise<unknown>>;
}

/** The rows of a read that has not been added yet. */
const NO_ROWS = Promise.resolve([]);

/** Reads with one text and arguments of the same types: see GroupedReads. */
export class ReadQueue {
  private readonly batcher: Batcher<Read, Row[]>;
  private readonly joinable = new Map<string, Read>();
  private readonly groupedSql: string;
  private readonly group = new SharedStatement();

  constructor(
    private readonly statement: CompiledStatement,
    private readonly types: readonly string[],
    private readonly connections: ReadConnections,
  ) {
    this.groupedSql = groupedSql(statement, types);
    this.batcher = new Batcher((reads) => this.send(reads), {
      max: MAX_READS,
      atOnce: MAX_STATEMENTS,
      patienceMs: PATIENCE_MS,
      limitMs: connections.limitMs,
    });
  }

  get waitingCount(): number {
    return this.batcher.waitingCount;
  }

  accepts(values: readonly SqlValue[]): boolean {
    return this.group.isUsable && values.every((value, index) => groupedTypeOf(value) === this.types[index]);
  }

  /**
   * What `toResult` makes of the rows for these values. Equal reads with the same `toResult` get the same result.
   * @param requireRoom throws when no further read may wait. One that joins another needs no room.
   */
  read<Result>(
    values: readonly SqlValue[],
    toResult: ToResult<Result>,
    requireRoom: () => void,
  ): Promise<Result> {
    const key = keyOf(values);
    let read = this.joinable.get(key);
    if (read === undefined) {
      requireRoom();
      read = { values, key, isShared: false, rows: NO_ROWS, results: new Map() };
      this.joinable.set(key, read);
      read.rows = this.batcher.add(read);
    } else read.isShared = true;
    return (read.results.get(toResult) ?? this.add(read, toResult)) as Promise<Result>;
  }

  private add(read: Read, toResult: ToResult<unknown>): Promise<unknown> {
    const result = read.rows.then(
      (rows) => toResult(rows, read.isShared),
      (error: unknown) => {
        // It may have been refused before it was sent.
        if (this.joinable.get(read.key) === read) this.joinable.delete(read.key);
        return this.connections.rethrow(error);
      },
    );
    read.results.set(toResult, result);
    return result;
  }

  private send(reads: readonly Read[]): Promise<Promise<Row[]>[]> {
    for (const { key } of reads) this.joinable.delete(key);
    return this.connections.onConnection(async (run) => {
      const found = await this.rowsOf(run, reads);
      return found.map(async (rowsOf) => {
        const rows = rowsOf();
        this.statement.hydrate(rows);
        return rows;
      });
    });
  }

  private async rowsOf(run: Run, reads: readonly Read[]): Promise<Found[]> {
    if (reads.length === 1) return this.readEach(run, reads);
    return this.group.run<Found[]>(
      async () => (await this.readGrouped(run, reads)).map((rows) => () => rows),
      () => this.readEach(run, reads),
    );
  }

  private async readEach(run: Run, reads: readonly Read[]): Promise<Found[]> {
    const found: Found[] = [];
    for (const { values } of reads) {
      const rows = await run<Row>(this.statement.sql, values).catch(failing);
      found.push(Array.isArray(rows) ? () => rows : rows);
    }
    return found;
  }

  private async readGrouped(run: Run, reads: readonly Read[]): Promise<Row[][]> {
    const values = this.types.map((_, index) => reads.map((read) => read.values[index]!));
    const lines = await run<[number, ...unknown[]]>(this.groupedSql, values, 'array');
    const { names } = this.statement.groupable!;
    const results = reads.map((): Row[] => []);
    for (const line of lines) {
      const row: Row = {};
      for (let index = 0; index < names.length; index++) row[names[index]!] = line[index + 1];
      results[line[0] - 1]!.push(row);
    }
    return results;
  }
}

/** On a connection that is lost, the other reads would fail too, each after its time. */
function failing(error: unknown): () => never {
  if (isOfConnection(error)) throw error;
  return () => {
    throw error;
  };
}

/** Reads with equal keys have equal values: their types are the same, and a text begins with its length. None has bytes. */
function keyOf(values: readonly SqlValue[]): string {
  let key = '';
  for (const value of values as readonly Exclude<SqlValue, Uint8Array>[])
    key += typeof value === 'string' ? `${value.length}:${value} ` : `${value} `;
  return key;
}
