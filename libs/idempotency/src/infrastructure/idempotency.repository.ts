import { Injectable } from '@nestjs/common';
import { DAY_MS, type Transaction } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import { IdempotencyRecord } from './idempotency.record.js';

/** A retry gets a first response that was stored after this time. */
export function expiredAtMs(nowMs: number): number {
  return nowMs - DAY_MS;
}

/** The `Idempotency-Key` of a request, which is unique within its API key. */
export interface IdempotencyKey {
  readonly apiKeyId: string;
  readonly value: string;
}

/** The response to the first request with an `Idempotency-Key`. */
export interface FirstResponse {
  /** A hash of the request. */
  readonly fingerprint: string;
  /** Null in records of versions that did not store it: the operation's usual status. */
  readonly status: number | null;
  /** The headers of this response. Headers that every response has are not included. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/** Stores first responses in SQLite or PostgreSQL. */
@Injectable()
export class IdempotencyRepository {
  private readonly statements: ReturnType<typeof idempotencyStatements>;

  constructor(database: Database) {
    this.statements = idempotencyStatements(database);
  }

  /** Locks the key until the transaction ends; false when another transaction holds the lock. */
  async lock({ apiKeyId, value }: IdempotencyKey, transaction: Transaction): Promise<boolean> {
    const { lock } = this.statements;
    if (lock === null) return true;
    return (await lock.getOne({ name: `${apiKeyId} ${value}` }, transaction))!.locked;
  }

  /** The response stored for the key after `afterMs`; null when there is none. */
  async find(
    { apiKeyId, value }: IdempotencyKey,
    afterMs: number,
    within?: Transaction,
  ): Promise<FirstResponse | null> {
    const record = await this.statements.find.getOne({ apiKeyId, idempotencyKey: value }, within);
    if (record === null || record.createdAt <= afterMs) return null;
    const { fingerprint, status, headers, body } = record;
    return { fingerprint, status, headers: JSON.parse(headers) as FirstResponse['headers'], body };
  }

  /** Stores the response. It replaces an expired one. */
  async save(
    { apiKeyId, value }: IdempotencyKey,
    { fingerprint, status, headers, body }: FirstResponse,
    atMs: number,
    transaction: Transaction,
  ): Promise<void> {
    const stored = { fingerprint, status, headers: JSON.stringify(headers), body };
    const row = { apiKeyId, idempotencyKey: value, createdAt: BigInt(atMs), ...stored };
    await this.statements.save.execute(row, transaction);
  }
}

const STORED = ['fingerprint', 'status', 'headers', 'body', 'createdAt'] as const;
type Stored = Pick<IdempotencyRecord, (typeof STORED)[number]>;
type Key = Pick<IdempotencyRecord, 'apiKeyId' | 'idempotencyKey'>;

function idempotencyStatements(database: Database) {
  const records = database.statements(IdempotencyRecord, 'record');
  return {
    /**
     * The query builder cannot lock without a row. The lock ends with the transaction. SQLite has one writer at a time
     * anyway.
     */
    lock:
      database.dialect === 'postgres'
        ? records.sql<{ name: string }, { locked: boolean }>(
            () => 'SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0)) AS locked',
          )
        : null,
    /** By the key alone: with a condition on the time, PostgreSQL might take the index of the times. */
    find: records.select<Key, Stored>((record) =>
      record
        .select(STORED.map((property) => `record.${property}`))
        .where('record.apiKeyId = :apiKeyId AND record.idempotencyKey = :idempotencyKey'),
    ),
    save: records.insertWithId(['apiKeyId', 'idempotencyKey', ...STORED], {
      replaces: ['apiKeyId', 'idempotencyKey'],
    }),
  };
}
