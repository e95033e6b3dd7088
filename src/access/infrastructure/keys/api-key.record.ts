import { Column, Entity } from 'typeorm';
import type { StoredApiKey } from '@animal-store/api-keys';
import { ApiKeyColumns, columnsOf, scopesIn } from '@animal-store/api-keys/typeorm';
import { AS_NUMBER } from '@animal-store/database';
import { ApiKey } from '../../domain/api-key.js';
import type { PlanName, Plans } from '../../domain/plan.js';

/** A row of `api_keys`. Its properties are those of the domain, but for the limits, which are in the plan there. */
@Entity({ name: 'api_keys' })
export class ApiKeyRecord extends ApiKeyColumns {
  @Column({ type: 'text' })
  plan: PlanName;

  /** Only Enterprise keys have their own limits; the limits of the other plans are settings. */
  @Column({ type: 'bigint', name: 'per_minute', nullable: true, transformer: AS_NUMBER })
  perMinute: number | null;

  @Column({ type: 'bigint', name: 'per_day', nullable: true, transformer: AS_NUMBER })
  perDay: number | null;

  /** The UTC day of its last use, counted from the Unix epoch. Older keys count as used when it was added. */
  @Column({ type: 'bigint', name: 'last_used_day', nullable: true, transformer: AS_NUMBER })
  lastUsedDay: number | null;

  @Column({ type: 'bigint', name: 'suspended_at', nullable: true, transformer: AS_NUMBER })
  suspendedAtMs: number | null;
}

/** Field by field, as lists make a hundred thousand of them. */
export function toApiKey(record: ApiKeyRecord, plans: Plans): ApiKey {
  const { perMinute, perDay } = record;
  return ApiKey.restore({
    id: record.id,
    hash: record.hash,
    name: record.name,
    account: record.account,
    plan: plans.of(record.plan, perMinute === null || perDay === null ? undefined : { perMinute, perDay }),
    scopes: scopesIn(record.scopes),
    createdAtMs: record.createdAtMs,
    createdBy: record.createdBy,
    expiresAtMs: record.expiresAtMs,
    revokedAtMs: record.revokedAtMs,
    replacedBy: record.replacedBy,
    lastUsedDay: record.lastUsedDay,
    suspendedAtMs: record.suspendedAtMs,
    changedAtMs: record.changedAtMs,
  });
}

export function toApiKeyRecord(key: ApiKey): ApiKeyRecord {
  const { plan, lastUsedDay, suspendedAtMs } = key;
  const { perMinute, perDay } = plan.name === 'enterprise' ? plan : { perMinute: null, perDay: null };
  return { ...columnsOf(key), plan: plan.name, perMinute, perDay, lastUsedDay, suspendedAtMs };
}

/** The fields of a key that authentication needs. */
export function toStoredApiKey(key: ApiKey): StoredApiKey<Pick<ApiKey, 'account' | 'plan'>> {
  const { id: keyId, hash, account, plan, scopes, expiresAtMs, suspendedAtMs } = key;
  // A suspended key works no more than a revoked one.
  return { keyId, hash, account, plan, scopes, expiresAtMs, revokedAtMs: key.revokedAtMs ?? suspendedAtMs };
}
