import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, InstantField, Int64Field, TextField } from '@animal-store/openapi';
import { Follows } from '@animal-store/web';
import type { IssuedKey } from '@animal-store/api-keys/issuing';
import { type ApiKey, instant, KEY_NAME, keyLabelProblem } from '../domain/api-key.js';
import { PLAN_NAMES, type PlanName } from '../domain/plan.js';
import { type Scope, SCOPES } from '../domain/scope.js';

/** What an id of a key looks like. */
export const KEY_ID_PATTERN = '^\\w+$';

const IsLabel = () =>
  Follows('isLabel', (value) => (typeof value === 'string' ? keyLabelProblem(value) : 'must be a string'));

@ApiSchema({
  name: 'NewKey',
  description: 'A key to make. What is left out is as with the key that makes it.',
})
export class NewKeyDto {
  @IsLabel()
  @ApiProperty({ type: 'string', ...KEY_NAME, description: 'What the key is for.', example: 'Till' })
  name: string;

  @EnumField(PLAN_NAMES, { name: 'PlanName', optional: true, example: 'free' })
  plan?: PlanName;

  @EnumField(SCOPES, {
    name: 'Scope',
    optional: true,
    each: { minItems: 1, maxItems: SCOPES.length },
    description: 'What the key may do.',
    example: ['pets:read'],
  })
  scopes?: Scope[];

  @InstantField({
    optional: true,
    description: 'When the key stops working.',
    example: '2027-01-31T12:00:00Z',
  })
  expiresAt?: string;
}

@ApiSchema({ name: 'Key', description: 'A key of your account, without its text.' })
export class KeyResponse {
  @TextField({
    maxLength: 100,
    pattern: KEY_ID_PATTERN,
    description: 'Names the key; it is no secret.',
    example: 'key_0123456789abcdef',
  })
  id: string;

  // Earlier releases let a name have characters that a new one may not have.
  @TextField({
    maxLength: 100,
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
    description: 'What the key is for.',
    example: 'Till',
  })
  name: string;

  @EnumField(PLAN_NAMES, { name: 'PlanName', example: 'free' })
  plan: PlanName;

  @Int64Field({ minimum: 1n, description: 'The requests a minute that the plan allows.', example: 60 })
  perMinute: bigint;

  @Int64Field({ minimum: 1n, description: 'The requests a day that the plan allows.', example: 1_000 })
  perDay: bigint;

  @EnumField(SCOPES, {
    name: 'Scope',
    nullable: true,
    each: { maxItems: SCOPES.length },
    description: 'What the key may do; null for everything.',
    example: ['pets:read'],
  })
  scopes: Scope[] | null;

  @InstantField({ description: 'When it was made, in UTC.', example: '2026-03-14T12:00:00.000Z' })
  createdAt: string;

  @InstantField({ nullable: true, description: 'When it stops working, in UTC.', example: null })
  expiresAt: string | null;

  @InstantField({ nullable: true, description: 'When it was revoked, in UTC.', example: null })
  revokedAt: string | null;

  @TextField({
    maxLength: 100,
    pattern: KEY_ID_PATTERN,
    nullable: true,
    description: 'The key that replaces it.',
    example: null,
  })
  replacedBy: string | null;
}

@ApiSchema({ name: 'IssuedKey', description: 'A new key. Its text is in this response and nowhere else.' })
export class IssuedKeyResponse extends KeyResponse {
  @TextField({
    maxLength: 100,
    pattern: '^ask_(live|test)_[0-9A-Za-z]{38}$',
    description: 'The key itself: a secret.',
    example: 'ask_live_0000000000000000000000000000000000000a',
  })
  key: string;
}

export function toKeyResponse(key: ApiKey): KeyResponse {
  const { id, name, plan, scopes, createdAtMs, expiresAtMs, revokedAtMs, replacedBy } = key;
  return {
    id,
    name,
    plan: plan.name,
    perMinute: BigInt(plan.perMinute),
    perDay: BigInt(plan.perDay),
    scopes: scopes && [...scopes],
    createdAt: instant(createdAtMs),
    expiresAt: instant(expiresAtMs),
    revokedAt: instant(revokedAtMs),
    replacedBy,
  };
}

export function toIssuedKeyResponse({ key, text }: IssuedKey<ApiKey>): IssuedKeyResponse {
  return { ...toKeyResponse(key), key: text };
}
