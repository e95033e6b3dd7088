import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, IN_A_YEAR, InstantField, TextField } from '@animal-store/openapi';
import { Follows } from '@animal-store/web';
import type { IssuedKey } from '@animal-store/api-keys/issuing';
import { type ApiKey, instant, KEY_NAME, keyLabelProblem } from '../domain/api-key.js';
import { PLAN_NAMES, type PlanName } from '../domain/plan.js';
import { scopes } from '../../contexts.js';

const SCOPES = scopes.map(({ name }) => name);
const EXPLICIT = scopes.flatMap(({ name, explicit }) => (explicit ? [`\`${name}\``] : []));
const ALL = EXPLICIT.length === 0 ? 'everything' : `everything but ${EXPLICIT.join(' and ')}`;

/** Further keys are not listed. */
const MAX_REMAINING = 100;

export const KEY_ID_PATTERN = '^\\w+$';

/** The id of a key, or a list of them. */
export function KeyIdField(
  description: string,
  more: Partial<Parameters<typeof TextField>[0]> = {},
): PropertyDecorator {
  const example = 'key_0123456789abcdef';
  return TextField({ maxLength: 100, pattern: KEY_ID_PATTERN, description, example, ...more });
}

const IsLabel = () =>
  Follows('isLabel', (value) => (typeof value === 'string' ? keyLabelProblem(value) : 'must be a string'));

/** A count in a response: a plain number in every client. */
export function CountProperty(minimum: number, description: string, example: number): PropertyDecorator {
  return ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum,
    maximum: 2 ** 31 - 1,
    description,
    example,
  });
}

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
  scopes?: string[];

  @InstantField({
    optional: true,
    description: 'When the key stops working.',
    example: IN_A_YEAR,
  })
  expiresAt?: string;
}

@ApiSchema({ name: 'Key', description: 'A key of your account, without its text.' })
export class KeyResponse {
  @KeyIdField('Names the key; it is no secret.')
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

  @CountProperty(1, 'The requests a minute that the plan allows.', 60)
  perMinute: number;

  @CountProperty(1, 'The requests a day that the plan allows.', 1_000)
  perDay: number;

  @EnumField(SCOPES, {
    name: 'Scope',
    nullable: true,
    each: { maxItems: SCOPES.length },
    description: `What the key may do; null for ${ALL}.`,
    example: ['pets:read'],
  })
  scopes: string[] | null;

  @InstantField({ description: 'When it was made, in UTC.', example: '2026-03-14T12:00:00.000Z' })
  createdAt: string;

  @KeyIdField('The key that made it; null when the operator did.', { nullable: true, example: null })
  createdBy: string | null;

  @InstantField({ nullable: true, description: 'When it stops working, in UTC.', example: null })
  expiresAt: string | null;

  @InstantField({ nullable: true, description: 'When it was revoked, in UTC.', example: null })
  revokedAt: string | null;

  @KeyIdField('The key that replaces it.', { nullable: true, example: null })
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

@ApiSchema({ name: 'RevokedKey', description: 'A key that is revoked, and what it has made.' })
export class RevokedKeyResponse extends KeyResponse {
  @CountProperty(0, 'How many keys that it has made, directly or by one of those, were revoked with it.', 0)
  revokedDescendants: number;

  @KeyIdField('Keys that it has made and that work or are suspended. `descendants=true` revokes them, too.', {
    each: { maxItems: MAX_REMAINING },
    example: [],
  })
  remainingDescendants: string[];
}

export function toKeyResponse(key: ApiKey): KeyResponse {
  const { id, name, plan, scopes, createdAtMs, createdBy, expiresAtMs, revokedAtMs, replacedBy } = key;
  return {
    id,
    name,
    plan: plan.name,
    perMinute: plan.perMinute,
    perDay: plan.perDay,
    scopes: scopes && [...scopes],
    createdAt: instant(createdAtMs),
    createdBy,
    expiresAt: instant(expiresAtMs),
    revokedAt: instant(revokedAtMs),
    replacedBy,
  };
}

export function toIssuedKeyResponse({ key, text }: IssuedKey<ApiKey>): IssuedKeyResponse {
  return { ...toKeyResponse(key), key: text };
}

export function toRevokedKeyResponse({
  key,
  descendants,
}: {
  readonly key: ApiKey;
  readonly descendants: readonly ApiKey[];
}): RevokedKeyResponse {
  const remaining = descendants.filter(({ revokedAtMs }) => revokedAtMs === null);
  return {
    ...toKeyResponse(key),
    revokedDescendants: descendants.length - remaining.length,
    remainingDescendants: remaining.slice(0, MAX_REMAINING).map(({ id }) => id),
  };
}
