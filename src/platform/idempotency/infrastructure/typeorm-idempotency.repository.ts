import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { type FirstResponse, type IdempotencyKey, IdempotencyRepository } from '../idempotency.repository.js';
import type { Transaction } from '@animal-store/kernel';
import { toFirstResponse, toIdempotencyRecord } from './idempotency-record.mapper.js';
import { IdempotencyRecord } from './idempotency.record.js';

/** Stores first responses in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmIdempotencyRepository extends IdempotencyRepository {
  private readonly statements: ReturnType<typeof idempotencyStatements>;

  constructor(database: Database) {
    super();
    this.statements = idempotencyStatements(database);
  }

  async lock({ apiKeyId, value }: IdempotencyKey, transaction: Transaction): Promise<boolean> {
    const { lock } = this.statements;
    if (lock === null) return true;
    return (await lock.getOne({ name: `${apiKeyId} ${value}` }, transaction))!.locked;
  }

  async find(
    { apiKeyId, value }: IdempotencyKey,
    afterMs: number,
    transaction: Transaction,
  ): Promise<FirstResponse | null> {
    const wanted = { apiKeyId, idempotencyKey: value, createdAt: BigInt(afterMs) };
    const record = await this.statements.find.getOne(wanted, transaction);
    return record && toFirstResponse(record);
  }

  async save(
    key: IdempotencyKey,
    response: FirstResponse,
    atMs: number,
    transaction: Transaction,
  ): Promise<void> {
    await this.statements.save.execute(toIdempotencyRecord(key, response, atMs), transaction);
  }
}

type Wanted = Pick<IdempotencyRecord, 'apiKeyId' | 'idempotencyKey' | 'createdAt'>;
type Stored = Pick<IdempotencyRecord, 'fingerprint' | 'status' | 'headers' | 'body'>;

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
    find: records.select<Wanted, Stored>((record) =>
      record
        .select(['record.fingerprint', 'record.status', 'record.headers', 'record.body'])
        .where('record.apiKeyId = :apiKeyId AND record.idempotencyKey = :idempotencyKey')
        .andWhere('record.createdAt > :createdAt'),
    ),
    save: records.insertWithId(
      ['apiKeyId', 'idempotencyKey', 'fingerprint', 'status', 'headers', 'body', 'createdAt'],
      { replaces: ['apiKeyId', 'idempotencyKey'] },
    ),
  };
}
