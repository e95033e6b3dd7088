import type { Pool, PoolClient, QueryArrayConfig, QueryConfig } from 'pg';
import { StorageUnavailable } from '@animal-store/kernel';
import { errorCode } from '../error-code.js';
import type { SqlValue } from '../sql-session.js';
import type { CompiledStatement } from '../statements/compiled-statement.js';
import { groupedSql, groupedTypeOf } from '../statements/grouped-statement.js';

/** How long a read waits for a statement under way before another one begins beside it. */
export const PATIENCE_MS = 10;
/** The maximum of statements under way for one queue, so that slow ones leave connections to others. */
const MAX_STATEMENTS = 4;
/** The maximum of different reads in a statement, so that it is not slow. */
const MAX_READS = 100;

/** No such operator, a wrong or an unknown type: the grouped text is wrong, whatever its arguments are (appendix A). */
const WRONG_TEXT = /^(42883|42804|42846|42P18)$/;

export interface ReadConnections {
  readonly pool: Pool;
  readonly nameOf: (sql: string) => string;
  readonly translated: (error: unknown) => unknown;
  /** How long a read may wait for its statement to begin. */
  readonly limitMs: number;
}

type Row = Record<string, unknown>;

interface Read {
  readonly values: readonly SqlValue[];
  readonly arrivedAtMs: number;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads that need the same rows. */
type EqualReads = [Read, ...Read[]];

/** Reads with one text and arguments of the same types: see GroupedReads. */
export class ReadQueue {
  private waiting: Read[] = [];
  private isConnecting = false;
  private underWay = 0;
  private hasTimer = false;
  /** Whether reads may be queued. Otherwise each must run by itself. */
  canGroup: boolean;
  private readonly groupedSql: string | null;

  constructor(
    private readonly statement: CompiledStatement,
    private readonly types: readonly string[],
    private readonly connections: ReadConnections,
  ) {
    this.groupedSql = types.length === 0 ? null : groupedSql(statement, types);
    this.canGroup = types.length > 0 || statement.groupable!.isShareable;
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  accepts(values: readonly SqlValue[]): boolean {
    const { types } = this;
    for (let index = 0; index < types.length; index++) {
      if (groupedTypeOf(values[index]!) !== types[index]) return false;
    }
    return true;
  }

  /** The rows that the statement has for these values. When others get the same rows, they are frozen. */
  read(values: readonly SqlValue[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ values, arrivedAtMs: performance.now(), resolve, reject });
      if (this.underWay === 0 && !this.isConnecting) void this.begin();
      else this.startTimer(PATIENCE_MS);
    });
  }

  /** Runs a statement for everything that waits by the time there is a connection. */
  private async begin(): Promise<void> {
    const begunAtMs = performance.now();
    this.isConnecting = true;
    let client: PoolClient;
    try {
      client = await this.connections.pool.connect();
    } catch (error) {
      this.isConnecting = false;
      this.giveUp(begunAtMs, this.connections.translated(error));
      if (this.waiting.length > 0) void this.begin();
      return;
    }
    this.isConnecting = false;
    this.underWay++;
    // The statement reports a connection that breaks. Without a listener the error would end the process.
    client.on('error', ignore);
    const isUsable = await this.serve(client, this.take());
    client.off('error', ignore);
    client.release(!isUsable);
    this.underWay--;
    if (this.waiting.length > 0 && !this.isConnecting) void this.begin();
  }

  /** Takes the reads of one statement from the queue. */
  private take(): EqualReads[] {
    const { waiting } = this;
    const { isShareable } = this.statement.groupable!;
    const groups = new Map<string, EqualReads>();
    let count = 0;
    for (const read of waiting) {
      const key = isShareable && waiting.length > 1 ? keyOf(read.values) : `${count}`;
      const equal = groups.get(key);
      if (equal) equal.push(read);
      else if (groups.size < MAX_READS) groups.set(key, [read]);
      else break;
      count++;
    }
    this.waiting = waiting.slice(count);
    return [...groups.values()];
  }

  /** Runs one statement. Returns whether the connection can be used afterwards. */
  private async serve(client: PoolClient, groups: readonly EqualReads[]): Promise<boolean> {
    const [first] = groups;
    if (first === undefined) return true;
    const isLone = groups.length === 1 && first.length === 1;
    // Even equal reads take the grouped text, as PostgreSQL plans it only once. It plans a LIMIT each time.
    if (isLone || this.groupedSql === null) return this.serveAlone(client, first);
    try {
      const results = await this.readGrouped(client, this.groupedSql, groups);
      for (const [index, equal] of groups.entries()) settle(equal, results[index]!);
      return true;
    } catch (error) {
      if (error instanceof StorageUnavailable) {
        for (const { reject } of groups.flat()) reject(error);
        return false;
      }
      if (WRONG_TEXT.test(errorCode(error))) this.canGroup = false;
      return this.serveEach(client, groups);
    }
  }

  /** The values of one must not fail the others. */
  private async serveEach(client: PoolClient, groups: readonly EqualReads[]): Promise<boolean> {
    for (const [index, equal] of groups.entries()) {
      if (await this.serveAlone(client, equal)) continue;
      // The others would wait for the same connection, each until its time is over.
      const lost = new StorageUnavailable('The connection of the statement was lost.');
      for (const { reject } of groups.slice(index + 1).flat()) reject(lost);
      return false;
    }
    return true;
  }

  /** Returns whether the connection can be used afterwards. */
  private async serveAlone(client: PoolClient, equal: EqualReads): Promise<boolean> {
    try {
      settle(equal, await this.readOne(client, equal[0].values));
      return true;
    } catch (error) {
      for (const { reject } of equal) reject(error);
      return !(error instanceof StorageUnavailable);
    }
  }

  private async readOne(client: PoolClient, values: readonly SqlValue[]): Promise<readonly Row[]> {
    const { sql } = this.statement;
    const rows = await this.query<Row>(client, this.config(sql, values as SqlValue[]));
    this.statement.hydrate(rows);
    return rows;
  }

  private async readGrouped(
    client: PoolClient,
    text: string,
    groups: readonly EqualReads[],
  ): Promise<(readonly Row[])[]> {
    const values = this.types.map((_, index) => groups.map(([{ values }]) => values[index]!));
    const lines = await this.query<[number, ...unknown[]]>(client, {
      ...this.config(text, values),
      rowMode: 'array',
    });
    const { names } = this.statement.groupable!;
    const results = groups.map((): Row[] => []);
    for (const line of lines) {
      const row: Row = {};
      for (let index = 0; index < names.length; index++) row[names[index]!] = line[index + 1];
      results[line[0] - 1]!.push(row);
    }
    for (const rows of results) this.statement.hydrate(rows);
    return results;
  }

  private config(text: string, values: unknown[]): QueryConfig {
    return { name: this.connections.nameOf(text), text, values };
  }

  private async query<Line>(client: PoolClient, config: QueryConfig | QueryArrayConfig): Promise<Line[]> {
    try {
      const { rows } = await client.query(config as QueryConfig);
      return rows as Line[];
    } catch (error) {
      throw this.connections.translated(error);
    }
  }

  private startTimer(afterMs: number): void {
    if (this.hasTimer) return;
    this.hasTimer = true;
    // After setImmediate(), whatever PostgreSQL has already sent has been read, however busy this process was.
    setTimeout(() => setImmediate(this.onTime), afterMs).unref();
  }

  private readonly onTime = (): void => {
    this.hasTimer = false;
    const nowMs = performance.now();
    const { limitMs } = this.connections;
    this.giveUp(
      nowMs - limitMs,
      new StorageUnavailable(new Error(`Other reads took more than ${limitMs} ms.`)),
    );
    const [longest] = this.waiting;
    if (longest === undefined) return;
    const patienceMs = longest.arrivedAtMs + PATIENCE_MS - nowMs;
    if (patienceMs <= 0 && !this.isConnecting && this.underWay < MAX_STATEMENTS) void this.begin();
    this.startTimer(patienceMs > 0 ? patienceMs : PATIENCE_MS);
  };

  /** Rejects the reads that have waited since then. */
  private giveUp(sinceMs: number, error: unknown): void {
    while (this.waiting.length > 0 && this.waiting[0]!.arrivedAtMs <= sinceMs)
      this.waiting.shift()!.reject(error);
  }
}

/** Reads with equal keys have equal values: their types are the same, and a text begins with its length. */
function keyOf(values: readonly SqlValue[]): string {
  return values
    .map((value) => (typeof value === 'string' ? `${value.length}:${value}` : `${value}`))
    .join(' ');
}

function settle(equal: EqualReads, rows: readonly Row[]): void {
  if (equal.length > 1) {
    for (const row of rows) Object.freeze(row);
    Object.freeze(rows);
  }
  for (const { resolve } of equal) resolve(rows);
}

function ignore(): void {}
