import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Transaction } from '../../shared/unit-of-work.js';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { Plans } from '../domain/plan.js';
import type { ApiKeyRecord } from './api-key.record.js';
import { toApiKey, toApiKeyRecord } from './api-key-record.mapper.js';

const COLUMNS = `id, hash, name, account, plan, per_minute AS "perMinute", per_day AS "perDay",
  created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt", replaced_by AS "replacedBy",
  ban_lifted_at AS "banLiftedAt", changed_at AS "changedAt"`;
const INSERT = `INSERT INTO api_keys (id, hash, name, account, plan, per_minute, per_day, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
/**
 * Changes take turns, so that they are committed in the order of their `changed_at`. SQLite's writers do anyway; any
 * fixed number will do, as long as every replica takes the same one.
 */
const TAKE_TURN = 'SELECT pg_advisory_xact_lock(7201031)';
/** Changes nothing: an UPDATE is how both databases keep everybody else from the row until the transaction ends. */
const LOCK = `UPDATE api_keys SET id = id WHERE id = $1 RETURNING ${COLUMNS}`;
const UPDATE = `UPDATE api_keys SET plan = $2, per_minute = $3, per_day = $4, expires_at = $5, revoked_at = $6,
    replaced_by = $7, ban_lifted_at = $8,
    changed_at = (SELECT CASE WHEN MAX(changed_at) >= $9 THEN MAX(changed_at) + 1 ELSE $9 END FROM api_keys)
  WHERE id = $1 RETURNING ${COLUMNS}`;
const BY_ID = `SELECT ${COLUMNS} FROM api_keys WHERE id = $1`;
const BY_HASH = `SELECT ${COLUMNS} FROM api_keys WHERE hash = $1`;
const ALL = `SELECT ${COLUMNS} FROM api_keys ORDER BY created_at, id`;
const ANY = 'SELECT id FROM api_keys LIMIT 1';
const LATEST_CHANGE = 'SELECT MAX(changed_at) AS "changedAt" FROM api_keys';
const CHANGED = `SELECT ${COLUMNS} FROM api_keys WHERE changed_at > $1 ORDER BY changed_at`;

/** API keys in SQLite or PostgreSQL: the same statements for both. */
@Injectable()
export class SqlApiKeyRepository extends ApiKeyRepository {
  constructor(
    private readonly database: Database,
    private readonly plans: Plans,
  ) {
    super();
  }

  async add(key: ApiKey, transaction: Transaction): Promise<void> {
    const { id, hash, name, account, plan, perMinute, perDay, createdAt, expiresAt } = toApiKeyRecord(key);
    await this.database
      .session(transaction)
      .query(INSERT, [id, hash, name, account, plan, perMinute, perDay, createdAt, expiresAt]);
  }

  async change(
    id: string,
    change: (key: ApiKey) => ApiKey,
    transaction: Transaction,
  ): Promise<ApiKey | null> {
    const session = this.database.session(transaction);
    if (this.database.dialect === 'postgres') await session.query(TAKE_TURN);
    const [record] = await session.query<ApiKeyRecord>(LOCK, [id]);
    if (!record) return null;
    const key = this.toKey(record);
    const changed = change(key);
    if (changed === key) return key;
    const { plan, perMinute, perDay, expiresAt, revokedAt, replacedBy, banLiftedAt, changedAt } =
      toApiKeyRecord(changed);
    const [kept] = await session.query<ApiKeyRecord>(UPDATE, [
      id,
      plan,
      perMinute,
      perDay,
      expiresAt,
      revokedAt,
      replacedBy,
      banLiftedAt,
      changedAt,
    ]);
    return this.toKey(kept!);
  }

  async findById(id: string): Promise<ApiKey | null> {
    const [record] = await this.database.query<ApiKeyRecord>(BY_ID, [id]);
    return record ? this.toKey(record) : null;
  }

  async findByHash(hash: string): Promise<ApiKey | null> {
    const [record] = await this.database.query<ApiKeyRecord>(BY_HASH, [hash]);
    return record ? this.toKey(record) : null;
  }

  async list(): Promise<ApiKey[]> {
    return (await this.database.query<ApiKeyRecord>(ALL)).map(this.toKey);
  }

  async isEmpty(transaction: Transaction): Promise<boolean> {
    return (await this.database.session(transaction).query(ANY)).length === 0;
  }

  async latestChangeMs(): Promise<number | null> {
    const [latest] = await this.database.query<Pick<ApiKeyRecord, 'changedAt'>>(LATEST_CHANGE);
    return latest!.changedAt === null ? null : Number(latest!.changedAt);
  }

  async changedAfter(afterMs: number): Promise<ApiKey[]> {
    return (await this.database.query<ApiKeyRecord>(CHANGED, [BigInt(afterMs)])).map(this.toKey);
  }

  private readonly toKey = (record: ApiKeyRecord): ApiKey => toApiKey(record, this.plans);
}
