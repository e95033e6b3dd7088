import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Transaction } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { Plans } from '../domain/plan.js';
import { ApiKeyRecord } from './api-key.record.js';
import { toApiKey, toApiKeyRecord } from './api-key-record.mapper.js';

/** API keys in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmApiKeyRepository extends ApiKeyRepository {
  private readonly statements: ReturnType<typeof apiKeyStatements>;

  constructor(
    database: Database,
    private readonly plans: Plans,
  ) {
    super();
    this.statements = apiKeyStatements(database);
  }

  async add(key: ApiKey, transaction: Transaction): Promise<void> {
    await this.statements.insert.execute(toApiKeyRecord(key), transaction);
  }

  async change(
    id: string,
    change: (key: ApiKey) => ApiKey,
    transaction: Transaction,
  ): Promise<ApiKey | null> {
    await this.statements.takeTurn?.getOne({}, transaction);
    const record = await this.statements.byIdLocked.getOne({ id }, transaction);
    if (!record) return null;
    const key = this.toKey(record);
    const changed = change(key);
    if (changed === key) return key;
    const { changedAt: latest } = (await this.statements.latestChange.getOne({}, transaction))!;
    const row = toApiKeyRecord(changed);
    const changedAt = latest !== null && latest >= row.changedAt! ? latest + 1n : row.changedAt;
    await this.statements.update.execute({ ...row, changedAt }, transaction);
    return this.toKey({ ...row, changedAt });
  }

  async findById(id: string): Promise<ApiKey | null> {
    const record = await this.statements.byId.getOne({ id });
    return record && this.toKey(record);
  }

  async findByHash(hash: string): Promise<ApiKey | null> {
    const record = await this.statements.byHash.getOne({ hash });
    return record && this.toKey(record);
  }

  async findByHashes(hashes: readonly string[]): Promise<ApiKey[]> {
    return (await this.statements.byHashes.getMany({ hashes })).map(this.toKey);
  }

  async list(): Promise<ApiKey[]> {
    return (await this.statements.all.getMany({})).map(this.toKey);
  }

  async page(afterId: string, limit: number): Promise<ApiKey[]> {
    return (await this.statements.page.getMany({ afterId, limit })).map(this.toKey);
  }

  async isEmpty(transaction: Transaction): Promise<boolean> {
    return (await this.statements.any.getOne({}, transaction)) === null;
  }

  async latestChangeMs(): Promise<number | null> {
    const { changedAt } = (await this.statements.latestChange.getOne({}))!;
    return changedAt === null ? null : Number(changedAt);
  }

  async changedAfter(afterMs: number, limit: number): Promise<ApiKey[]> {
    const records = await this.statements.changed.getMany({ changedAt: BigInt(afterMs), limit });
    return records.map(this.toKey);
  }

  private readonly toKey = (record: ApiKeyRecord): ApiKey => toApiKey(record, this.plans);
}

function apiKeyStatements(database: Database) {
  const keys = database.statements(ApiKeyRecord, 'key');
  return {
    insert: keys.insertWithId(
      (key, { id, hash, name, account, plan, perMinute, perDay, createdAt, expiresAt }: ApiKeyRecord) =>
        key.values({ id, hash, name, account, plan, perMinute, perDay, createdAt, expiresAt }),
    ),
    /**
     * Makes changes of keys take turns, so that they are committed in the order of their `changedAt`. SQLite has only
     * one writer at a time anyway. The query builder cannot lock without a row. Any fixed number works, as long as
     * every replica uses the same one.
     */
    takeTurn:
      database.dialect === 'postgres' ? keys.sql(() => 'SELECT pg_advisory_xact_lock(7201031)') : null,
    byId: keys.select((key, { id }: Pick<ApiKeyRecord, 'id'>) => key.where('key.id = :id', { id })),
    byIdLocked: keys.select((key, { id }: Pick<ApiKeyRecord, 'id'>) =>
      key.where('key.id = :id', { id }).setLock('pessimistic_write'),
    ),
    byHash: keys.select((key, { hash }: Pick<ApiKeyRecord, 'hash'>) =>
      key.where('key.hash = :hash', { hash }),
    ),
    byHashes: keys.select((key, { hashes }: { hashes: readonly string[] }) =>
      key.where('key.hash IN (:...hashes)', { hashes }),
    ),
    all: keys.select((key) => key.orderBy('key.createdAt').addOrderBy('key.id')),
    page: keys.select((key, { afterId, limit }: { afterId: string; limit: number }) =>
      key.where('key.id > :afterId', { afterId }).orderBy('key.id').limit(limit),
    ),
    any: keys.select((key) => key.select('key.id').limit(1)),
    latestChange: keys.select<object, Pick<ApiKeyRecord, 'changedAt'>>((key) =>
      key.select('MAX(key.changedAt)', 'changedAt'),
    ),
    changed: keys.select((key, { changedAt, limit }: { changedAt: bigint; limit: number }) =>
      key.where('key.changedAt > :changedAt', { changedAt }).orderBy('key.changedAt').limit(limit),
    ),
    update: keys.update(
      (
        key,
        {
          id,
          plan,
          perMinute,
          perDay,
          expiresAt,
          revokedAt,
          replacedBy,
          banLiftedAt,
          changedAt,
        }: ApiKeyRecord,
      ) =>
        key
          .set({ plan, perMinute, perDay, expiresAt, revokedAt, replacedBy, banLiftedAt, changedAt })
          .where('id = :id', { id }),
    ),
  };
}
