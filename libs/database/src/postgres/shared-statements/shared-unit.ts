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
  /** The text for one. Calls with the same text become one statement. */
  readonly text: string;
  /** The text for any number, whose parameters are arrays. Null when each is a statement of its own. */
  readonly many: string | null;
  /** A SELECT that locks its rows, or reads what no other unit writes. */
  readonly select: SelectSql | null;
  readonly kind: 'insert' | 'lock' | 'read' | 'write';
  readonly values: readonly SqlValue[];
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Who sends what units of work ask for. */
export interface Calls {
  add(call: Call): void;
  /** @throws NotShared when another unit has locked or read what this statement finds */
  requireOwn(unit: SharedUnit, statement: SelectSql, values: readonly SqlValue[]): void;
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
  /** Resolves when the work has ended. */
  ended: Promise<void> = Promise.resolve();
  private waitingFor = 0;
  private isExpelled = false;

  constructor(private readonly calls: Calls) {
    super();
  }

  /** Whether it can do nothing until a call has its result. */
  get isWaiting(): boolean {
    return this.waitingFor > 0;
  }

  /** Whether it was refused and has written nothing, so that its error is its own. */
  get isRefused(): boolean {
    return this.state === 'refused' && !this.hasWritten;
  }

  start(work: Work): void {
    this.ended = this.run(work);
  }

  private async run(work: Work): Promise<void> {
    try {
      this.outcome = await work(this);
      this.state = this.isExpelled ? 'alone' : 'succeeded';
    } catch (error) {
      this.outcome = error;
      this.state = this.isExpelled ? 'alone' : 'refused';
    }
    this.calls.changed();
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
    if (!statement.isLocking && !statement.isOwn) return Promise.reject(this.notShared());
    const kind = statement.isLocking ? 'lock' : 'read';
    return this.waitFor({ kind, text: statement.sql, many: null, select: statement, values });
  }

  insert({ single, many }: InsertSql, values: readonly SqlValue[]): Promise<bigint> {
    return this.waitFor({ kind: 'insert', text: single, many, select: null, values });
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
      try {
        if (call.select) this.calls.requireOwn(this, call.select, call.values);
      } catch (error) {
        this.isExpelled = true;
        throw error;
      }
      this.waitingFor++;
      this.calls.add({
        ...call,
        unit: this,
        resolve: (result: T) => {
          this.waitingFor--;
          resolve(result);
        },
        reject: (error) => {
          this.waitingFor--;
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it is what the driver gives
          reject(error);
        },
      });
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
