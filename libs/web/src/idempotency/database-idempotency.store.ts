import type { Clock, Transaction } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import {
  type Claim,
  type FirstResponse,
  type IdempotencyKey,
  IdempotencyStore,
} from '@animal-store/idempotency';
import { IdempotencyRecord } from '@animal-store/idempotency/typeorm';

/** Stores first responses in SQLite or PostgreSQL. Every unit of work of a handler becomes part of its transaction. */
export class DatabaseIdempotencyStore extends IdempotencyStore<Transaction> {
  private readonly statements: ReturnType<typeof idempotencyStatements>;

  /** @param clock of the process, which on SQLite is that of the database */
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
    this.statements = idempotencyStatements(database);
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.enclose(work);
  }

  /** The two are sent together and run in this order, so the response of who had the lock before is found. */
  async claim(
    { caller, value }: IdempotencyKey,
    lifetimeMs: number,
    transaction: Transaction,
  ): Promise<Claim> {
    const { lock, find } = this.statements;
    const [{ isLocked, nowMs: time }, stored] = await Promise.all([
      lock(`${caller} ${value}`, transaction),
      find.getOne({ caller, value }, transaction),
    ]);
    const nowMs = time ?? this.clock.now();
    return { isLocked, first: unexpired(stored, nowMs - lifetimeMs), nowMs };
  }

  async find({ caller, value }: IdempotencyKey, lifetimeMs: number): Promise<FirstResponse | null> {
    const { time, find } = this.statements;
    const [nowMs, stored] = await Promise.all([time(), find.getOne({ caller, value })]);
    return unexpired(stored, (nowMs ?? this.clock.now()) - lifetimeMs);
  }

  async save(
    { caller, value }: IdempotencyKey,
    { fingerprint, status, headers, body }: FirstResponse,
    atMs: number,
    transaction: Transaction,
  ): Promise<void> {
    const row = { caller, value, createdAtMs: atMs, fingerprint, status, headers, body };
    await this.statements.save.execute(row, transaction);
  }
}

const STORED = ['fingerprint', 'status', 'headers', 'body', 'createdAtMs'] as const;
type Stored = Pick<IdempotencyRecord, (typeof STORED)[number]>;
type Key = Pick<IdempotencyRecord, 'caller' | 'value'>;

function unexpired(stored: Stored | null, afterMs: number): FirstResponse | null {
  return stored !== null && stored.createdAtMs > afterMs ? stored : null;
}

function idempotencyStatements(database: Database) {
  const records = database.statements(IdempotencyRecord, 'record');
  return {
    lock: records.tryLock(),
    time: records.time(),
    /** By the key alone: with a condition on the time, PostgreSQL might take the index of the times. */
    find: records.select<Key, Stored>((record) =>
      record
        .select(STORED.map((property) => `record.${property}`))
        .where('record.caller = :caller AND record.value = :value'),
    ),
    save: records.insertWithId(['caller', 'value', ...STORED], { replaces: ['caller', 'value'] }),
  };
}
