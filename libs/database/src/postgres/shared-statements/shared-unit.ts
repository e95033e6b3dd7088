import type { EntityManager } from 'typeorm';
import type { Transaction } from '@animal-store/kernel';
import {
  type InsertSql,
  type SelectSql,
  SqlTransaction,
  type SqlValue,
  type WriteSql,
} from '../../sql-session.js';
import { rowName } from '../../statements/row-key.js';

export type Work = (transaction: Transaction) => Promise<unknown>;

/** Where a unit runs again: with others, in a transaction of its own, or in one that waits for a row. */
export type Again = 'together' | 'alone' | 'waiting';

/** The error for a unit of work that cannot continue in the transaction. */
export class NotShared extends Error {}

/** The statements of one unit of work, among those of the others. */
export interface Step {
  readonly unit: SharedUnit;
  /** Steps with the same text become one statement. */
  readonly text: string;
  readonly values: readonly SqlValue[];
}

export interface Call extends Step {
  /** Null for one that draws ids. */
  readonly select: SelectSql | null;
  /** The row that it looks up. */
  readonly row: string;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface Write extends Step {
  /** The text for any number, whose parameters are arrays. Null when each is a statement of its own. */
  readonly many: string | null;
}

/** The transaction, as one of its units sees it. */
export interface Calls {
  add(call: Call): void;
  /** An id that has been drawn already; undefined when there is none. */
  drawnId(unit: SharedUnit, draw: string): bigint | undefined;
  /** Reserves the row for the unit; false while another unit has it. */
  claim(unit: SharedUnit, row: string): boolean;
  /** The unit waits or has ended. */
  changed(): void;
}

/** A unit of work in a transaction that it shares with others: see SharedTransaction. */
export class SharedUnit extends SqlTransaction {
  state: 'running' | 'succeeded' | 'refused' | 'expelled' = 'running';
  /** What it resolved with, or why it was refused. */
  outcome: unknown;
  /** Null unless it has to run again. */
  again: Again | null = null;
  /** The writes are sent when all units have ended. */
  readonly writes: Write[] = [];
  /** Counts the ids that it draws, by their sequence. */
  needs = new Map<string, number>();
  /** Resolves when the work has ended. */
  ended = Promise.resolve();
  /** The rows that it may change. */
  private readonly locked = new Set<string>();
  private readonly written = new Set<string>();
  private waitingFor = 0;

  constructor(private readonly calls: Calls) {
    super();
  }

  /** Whether it neither has ended nor waits for the result of a call. */
  get isBusy(): boolean {
    return this.waitingFor === 0 && this.state === 'running';
  }

  get isWriter(): boolean {
    return this.writes.length > 0 && (this.state === 'running' || this.state === 'succeeded');
  }

  start(work: Work): void {
    const endsAs = (state: 'succeeded' | 'refused') => (outcome: unknown) => {
      this.outcome = outcome;
      this.state = this.again === null ? state : 'expelled';
      this.calls.changed();
    };
    this.ended = Promise.resolve(this).then(work).then(endsAs('succeeded'), endsAs('refused'));
  }

  /** Later results of this unit are ignored. */
  expel(again: Again): NotShared {
    this.again ??= again;
    return new NotShared('This unit of work runs again, in another transaction.');
  }

  /** The others continue without this unit, which has exceeded `PATIENCE_MS`. */
  expelLate(): void {
    this.expel('alone');
    this.state = 'expelled';
  }

  query<Row>(): Promise<Row[]> {
    return Promise.reject(this.expel('alone'));
  }

  override select<Row>(select: SelectSql, values: readonly SqlValue[]): Promise<Row[]> {
    const { sql: text, isLocking } = select;
    const row = select.row && rowName(select.row, values);
    // A lock with an option, or before a LIMIT, cannot become SKIP LOCKED. A read without a lock after a write
    // may rely on a lock of that write, which has not been sent.
    const isFirst = isLocking ? text.endsWith('FOR UPDATE') : this.writes.length === 0;
    if (row === null || this.written.has(row) || !isFirst) return Promise.reject(this.expel('alone'));
    return this.waitFor({ text, values, select, row });
  }

  async insert({ drawn }: InsertSql, values: readonly SqlValue[]): Promise<bigint> {
    if (drawn === undefined) throw this.expel('alone');
    const { draw, insert, place } = drawn;
    const call = { text: draw, values: [], select: null, row: '' };
    const id = this.calls.drawnId(this, draw) ?? (await this.waitFor<bigint>(call));
    await this.execute(insert, values.toSpliced(place, 0, id));
    return id;
  }

  override async execute(write: WriteSql, values: readonly SqlValue[]): Promise<void> {
    this.requireOpen();
    const { single: text, many, does } = write;
    const row = write.row ? rowName(write.row, values) : null;
    const mayBeAny = row === null && (does !== 'insert' || write.row);
    if (does === undefined || mayBeAny || (does === 'change' && !this.locked.has(row!)))
      throw this.expel('alone');
    if (row !== null) {
      if (!this.calls.claim(this, row)) throw this.expel('together');
      this.locked.add(row);
      this.written.add(row);
    }
    this.writes.push({ unit: this, text, values, many });
  }

  entityManager(): EntityManager {
    throw this.expel('alone');
  }

  /** Gives the unit what its call has found. */
  deliver({ select, row, resolve }: Call, result: unknown): void {
    if (select?.isLocking && (result as readonly unknown[]).length > 0) this.locked.add(row);
    resolve(result as never);
  }

  private waitFor<T>(call: Pick<Call, 'text' | 'values' | 'select' | 'row'>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.requireOpen();
      this.waitingFor++;
      const settling =
        <Outcome>(settle: (outcome: Outcome) => void) =>
        (outcome: Outcome) => {
          this.waitingFor--;
          settle(outcome);
        };
      this.calls.add({ ...call, unit: this, resolve: settling(resolve), reject: settling(reject) });
      this.calls.changed();
    });
  }

  private requireOpen(): void {
    if (this.again !== null) throw this.expel(this.again);
    if (this.state !== 'running')
      throw new Error('This transaction has ended; the statement would run in another one.');
  }
}
