import type { EntityManager } from 'typeorm';
import type { Transaction } from '@animal-store/kernel';
import {
  type InsertSql,
  type SelectSql,
  SqlTransaction,
  type SqlValue,
  type WriteSql,
} from '../../sql-session.js';

export type Work = (transaction: Transaction) => Promise<unknown>;

/** What a unit of work must do in a transaction of its own. */
export class NotShared extends Error {}

/** What one unit of work asks for in its place among the others. */
export interface Call {
  readonly unit: SharedUnit;
  /** The text for one, or what draws ids. Calls with the same text become one statement. */
  readonly text: string;
  /** The text for any number, whose parameters are arrays. Null when each is a statement of its own. */
  readonly many: string | null;
  /** A SELECT that locks its rows, or reads what no other unit writes. */
  readonly select: SelectSql | null;
  readonly kind: 'draw' | 'lock' | 'read' | 'write';
  readonly values: readonly SqlValue[];
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Who sends what units of work ask for. */
export interface Calls {
  add(call: Call): void;
  /** An id that has been drawn already; undefined when there is none. */
  drawnId(unit: SharedUnit, draw: string): bigint | undefined;
  /** Whether no other unit has locked or read what this statement finds. From now on it is this unit's. */
  isOwn(unit: SharedUnit, statement: SelectSql, values: readonly SqlValue[]): boolean;
  /** The unit waits or has ended. */
  changed(): void;
}

/** A unit of work in a transaction that it shares with others: see SharedTransaction. */
export class SharedUnit extends SqlTransaction {
  /** `alone` when it needs a transaction of its own. */
  state: 'running' | 'succeeded' | 'refused' | 'alone' = 'running';
  /** What it resolved with, or why it was refused. */
  outcome: unknown;
  /** Whether something that it writes has been sent. */
  hasWritten = false;
  /** Counts the ids that it asks for, by what draws them. */
  needs = new Map<string, number>();
  /** Resolves when the work has ended. */
  ended = Promise.resolve();
  private waitingFor = 0;
  private isExpelled = false;

  constructor(private readonly calls: Calls) {
    super();
  }

  /** Whether it can do nothing until a call has its result. */
  get isWaiting(): boolean {
    return this.waitingFor > 0;
  }

  start(work: Work): void {
    const endsAs = (state: 'succeeded' | 'refused') => (outcome: unknown) => {
      this.outcome = outcome;
      this.state = this.isExpelled ? 'alone' : state;
      this.calls.changed();
    };
    this.ended = Promise.resolve(this).then(work).then(endsAs('succeeded'), endsAs('refused'));
  }

  /** The transaction as a whole has failed: nothing that this unit learns from now on counts. */
  expel(): void {
    this.isExpelled = true;
  }

  /** The others go on without this unit, which takes long. */
  leave(): void {
    this.isExpelled = true;
    this.state = 'alone';
  }

  query<Row>(): Promise<Row[]> {
    return Promise.reject(this.notShared());
  }

  override select<Row>(statement: SelectSql, values: readonly SqlValue[]): Promise<Row[]> {
    const { sql, isLocking, isOwn } = statement;
    // One with its own way of locking, or a limit behind it, cannot skip what is locked.
    if (isLocking ? !sql.endsWith('FOR UPDATE') : !isOwn) return Promise.reject(this.notShared());
    const kind = isLocking ? 'lock' : 'read';
    return this.waitFor({ kind, text: sql, many: null, select: statement, values });
  }

  async insert({ drawn }: InsertSql, values: readonly SqlValue[]): Promise<bigint> {
    if (drawn === undefined) throw this.notShared();
    const { draw, insert } = drawn;
    const call = { kind: 'draw', text: draw, many: null, select: null, values: [] } as const;
    const id = this.calls.drawnId(this, draw) ?? (await this.waitFor<bigint>(call));
    await this.execute(insert, [id, ...values]);
    return id;
  }

  override async execute({ single, many }: WriteSql, values: readonly SqlValue[]): Promise<void> {
    this.requireOpen();
    const call = { unit: this, kind: 'write', text: single, many, select: null, values } as const;
    this.calls.add({ ...call, resolve: ignore, reject: ignore });
  }

  entityManager(): EntityManager {
    throw this.notShared();
  }

  private waitFor<T>(call: Pick<Call, 'kind' | 'text' | 'many' | 'select' | 'values'>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.requireOpen();
      if (call.select && !this.calls.isOwn(this, call.select, call.values)) throw this.notShared();
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

  /** What the unit gets when it cannot go on here. It runs again, alone. */
  notShared(): NotShared {
    this.isExpelled = true;
    return new NotShared('This unit of work needs a transaction of its own.');
  }

  private requireOpen(): void {
    if (this.isExpelled) throw new NotShared('This unit of work runs again, in a transaction of its own.');
    if (this.state !== 'running')
      throw new Error('This transaction has ended; the statement would run in another one.');
  }
}

function ignore(): void {}
