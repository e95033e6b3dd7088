import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ApiKey } from '../../domain/api-key.js';
import type { PlanName, Plans } from '../../domain/plan.js';

/** A row of `api_keys`. Instants are milliseconds since the Unix epoch. */
@Entity({ name: 'api_keys' })
export class ApiKeyRecord {
  @PrimaryColumn({ type: 'text' })
  id: string;

  /** SHA-256 in hexadecimal. The text of the key is never stored. */
  @Column({ type: 'text' })
  hash: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  account: string;

  @Column({ type: 'text' })
  plan: PlanName;

  /** Only Enterprise keys have their own limits; the limits of the other plans are settings. */
  @Column({ type: 'bigint', name: 'per_minute', nullable: true })
  perMinute: bigint | null;

  @Column({ type: 'bigint', name: 'per_day', nullable: true })
  perDay: bigint | null;

  @Column({ type: 'bigint', name: 'created_at' })
  createdAt: bigint;

  @Column({ type: 'bigint', name: 'expires_at', nullable: true })
  expiresAt: bigint | null;

  @Column({ type: 'bigint', name: 'revoked_at', nullable: true })
  revokedAt: bigint | null;

  @Column({ type: 'text', name: 'replaced_by', nullable: true })
  replacedBy: string | null;

  @Column({ type: 'bigint', name: 'ban_lifted_at', nullable: true })
  banLiftedAt: bigint | null;

  /** Null when the key was never changed, so that servers polling for changes do not read new keys. */
  @Column({ type: 'bigint', name: 'changed_at', nullable: true })
  changedAt: bigint | null;
}

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
