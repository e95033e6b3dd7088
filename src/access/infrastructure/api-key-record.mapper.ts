import { ApiKey } from '../domain/api-key.js';
import type { Plans } from '../domain/plan.js';
import type { ApiKeyRecord } from './api-key.record.js';

export function toApiKey(record: ApiKeyRecord, plans: Plans): ApiKey {
  const { id, hash, name, account, plan, perMinute, perDay, replacedBy } = record;
  return ApiKey.restore({
    id,
    hash,
    name,
    account,
    plan: plans.of(
      plan,
      perMinute === null || perDay === null ? {} : { perMinute: Number(perMinute), perDay: Number(perDay) },
    ),
    createdAtMs: Number(record.createdAt),
    expiresAtMs: toNumber(record.expiresAt),
    revokedAtMs: toNumber(record.revokedAt),
    replacedBy,
    banLiftedAtMs: toNumber(record.banLiftedAt),
    changedAtMs: toNumber(record.changedAt),
  });
}

export function toApiKeyRecord(key: ApiKey): ApiKeyRecord {
  const { id, hash, name, account, plan, replacedBy } = key;
  const hasOwnLimits = plan.name === 'enterprise';
  return {
    id,
    hash,
    name,
    account,
    plan: plan.name,
    perMinute: hasOwnLimits ? BigInt(plan.perMinute) : null,
    perDay: hasOwnLimits ? BigInt(plan.perDay) : null,
    createdAt: BigInt(key.createdAtMs),
    expiresAt: toBigInt(key.expiresAtMs),
    revokedAt: toBigInt(key.revokedAtMs),
    replacedBy,
    banLiftedAt: toBigInt(key.banLiftedAtMs),
    changedAt: toBigInt(key.changedAtMs),
  };
}

function toNumber(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

function toBigInt(value: number | null): bigint | null {
  return value === null ? null : BigInt(value);
}
