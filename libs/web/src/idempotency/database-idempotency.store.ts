import type { Transaction } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import {
  type Claim,
  type FirstResponse,
  type IdempotencyKey,
  IdempotencyStore,
} from '@animal-store/idempotency';
import { IdempotencyRecord } from './idempotency.record.js';

/** Stores first responses in SQLite or PostgreSQL. Every unit of work of a handler becomes part of its transaction. */
export class DatabaseIdempotencyStore extends IdempotencyStore<Transaction> {
  private readonly statements: ReturnType<typeof idempotencyStatements>;

  constructor(private readonly database: Database) {
    super();
    this.statements = idempotencyStatements(database);
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.enclose(work);
  }

  /** The two are sent together and run in this order, so the response of who had the lock before is found. */
  async claim(key: IdempotencyKey, afterMs: number, transaction: Transaction): Promise<Claim> {
    const [isLocked, first] = await Promise.all([
      this.statements.lock(`${key.caller} ${key.value}`, transaction),
      this.find(key, afterMs, transaction),
    ]);
    return { isLocked, first };
  }

  async find(
    { caller, value }: IdempotencyKey,
    afterMs: number,
    within?: Transaction,
  ): Promise<FirstResponse | null> {
    const record = await this.statements.find.getOne({ caller, idempotencyKey: value }, within);
    if (record === null || record.createdAt <= afterMs) return null;
    const { fingerprint, status, headers, body } = record;
    return { fingerprint, status, headers: JSON.parse(headers) as FirstResponse['headers'], body };
  }

  async save(
    { caller, value }: IdempotencyKey,
    { fingerprint, status, headers, body }: FirstResponse,
    atMs: number,
    transaction: Transaction,
  ): Promise<void> {
    const stored = { fingerprint, status, headers: JSON.stringify(headers), body };
    const row = { caller, idempotencyKey: value, createdAt: BigInt(atMs), ...stored };
    await this.statements.save.execute(row, transaction);
  }
}

const STORED = ['fingerprint', 'status', 'headers', 'body', 'createdAt'] as const;
type Stored = Pick<IdempotencyRecord, (typeof STORED)[number]>;
type Key = Pick<IdempotencyRecord, 'caller' | 'idempotencyKey'>;

function idempotencyStatements(database: Database) {
  const records = database.statements(IdempotencyRecord, 'record');
  return {
    lock: records.tryLock(),
    /** By the key alone: with a condition on the time, PostgreSQL might take the index of the times. */
    find: records.select<Key, Stored>((record) =>
      record
        .select(STORED.map((property) => `record.${property}`))
        .where('record.caller = :caller AND record.idempotencyKey = :idempotencyKey'),
    ),
    save: records.insertWithId(['caller', 'idempotencyKey', ...STORED], {
      replaces: ['caller', 'idempotencyKey'],
    }),
  };
}
