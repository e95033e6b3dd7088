import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { toJson } from '../shared/json.js';
import { Reply } from '../http/json-reply.js';
import { Clock } from '../shared/clock.js';
import { type Transaction, UnitOfWork } from '../shared/unit-of-work.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from './idempotency.errors.js';
import { type IdempotencyKey, parseIdempotencyKey } from './idempotency-key.decorator.js';
import { IdempotencyRecord } from './idempotency.record.js';

/** For how long a key gives its first answer again. */
export const KEPT_MS = 24 * 60 * 60 * 1_000;

/** Makes operations safe to retry: with an Idempotency-Key they happen once, however often they are asked for. */
@Injectable()
export class Idempotency {
  private readonly running = new Set<string>();
  private readonly statements: ReturnType<typeof idempotencyStatements>;

  constructor(
    database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {
    this.statements = idempotencyStatements(database);
  }

  /**
   * Runs `work` in a transaction and keeps its answer in the same transaction, so that a retry finds both or neither.
   * A retry gets the kept answer. Without a key `work` simply runs in a transaction. What fails is not kept.
   * @param operation the operation's name; together with `input` it tells whether a key is used for the same request.
   * @throws BadRequestException `invalid_parameter` when the key is none. Not told before: what is wrong with the body
   * comes first.
   * @throws IdempotencyKeyReused when the key belongs to another request.
   * @throws IdempotencyInProgress when the first request with the key is still running.
   */
  once(
    sent: IdempotencyKey | null,
    operation: string,
    input: unknown,
    work: (transaction: Transaction) => Promise<Reply>,
  ): Promise<Reply> {
    return sent ? this.onceFor(sent, operation, input, work) : this.unitOfWork.run(work);
  }

  private async onceFor(
    sent: IdempotencyKey,
    operation: string,
    input: unknown,
    work: (transaction: Transaction) => Promise<Reply>,
  ): Promise<Reply> {
    const key = { ...sent, value: parseIdempotencyKey(sent.value) };
    const name = `${key.apiKeyId} ${key.value}`;
    if (this.running.has(name)) throw new IdempotencyInProgress();
    this.running.add(name);
    try {
      const fingerprint = hash('sha256', `${operation} ${toJson(input)}`, 'base64url');
      return await this.unitOfWork.run(async (transaction) => {
        await this.lock(name, transaction);
        const kept = await this.find(key, fingerprint, transaction);
        if (kept) return kept;
        const reply = await work(transaction);
        await this.keep(key, fingerprint, reply, transaction);
        return reply;
      });
    } finally {
      this.running.delete(name);
    }
  }

  private async lock(name: string, transaction: Transaction): Promise<void> {
    const lock = await this.statements.lock?.getOne({ name }, transaction);
    if (lock?.locked === false) throw new IdempotencyInProgress();
  }

  private async find(
    { apiKeyId, value: idempotencyKey }: IdempotencyKey,
    fingerprint: string,
    transaction: Transaction,
  ): Promise<Reply | null> {
    const createdAt = BigInt(this.clock.now() - KEPT_MS);
    const record = await this.statements.find.getOne({ apiKeyId, idempotencyKey, createdAt }, transaction);
    if (!record) return null;
    if (record.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
    const headers = JSON.parse(record.headers) as Record<string, string>;
    return new Reply(record.body, { ...headers, 'Idempotent-Replayed': 'true' });
  }

  private async keep(
    { apiKeyId, value: idempotencyKey }: IdempotencyKey,
    fingerprint: string,
    { json: body, headers }: Reply,
    transaction: Transaction,
  ): Promise<void> {
    const createdAt = BigInt(this.clock.now());
    const record = {
      apiKeyId,
      idempotencyKey,
      fingerprint,
      body,
      headers: JSON.stringify(headers),
      createdAt,
    };
    await this.statements.keep.execute(record, transaction);
  }
}

function idempotencyStatements(database: Database) {
  const records = database.statements(IdempotencyRecord, 'record');
  type Key = Pick<IdempotencyRecord, 'apiKeyId' | 'idempotencyKey' | 'createdAt'>;
  return {
    find: records.select<Key, Pick<IdempotencyRecord, 'fingerprint' | 'body' | 'headers'>>(
      (record, { apiKeyId, idempotencyKey, createdAt }) =>
        record
          .select(['record.fingerprint', 'record.body', 'record.headers'])
          .where('record.apiKeyId = :apiKeyId', { apiKeyId })
          .andWhere('record.idempotencyKey = :idempotencyKey', { idempotencyKey })
          .andWhere('record.createdAt > :createdAt', { createdAt }),
    ),
    keep: records.insertWithId(
      (record, { apiKeyId, idempotencyKey, fingerprint, body, headers, createdAt }: IdempotencyRecord) =>
        record
          .values({ apiKeyId, idempotencyKey, fingerprint, body, headers, createdAt })
          .orUpdate(['fingerprint', 'body', 'headers', 'createdAt'], ['apiKeyId', 'idempotencyKey']),
    ),
    /**
     * Other replicas share no memory; a lock that ends with the transaction tells them that a key is in use. The
     * builder has no lock without a row.
     */
    lock:
      database.dialect === 'postgres'
        ? records.sql<{ name: string }, { locked: boolean }>(
            () => 'SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0)) AS locked',
          )
        : null,
  };
}
