import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DAY_MS } from '@animal-store/kernel';
import { DayField, EnumField, InstantField, TextField } from '@animal-store/openapi';
import { CountProperty, KeyIdField } from './key.response.js';
import { type AccountUsage, BUSIEST_KEYS } from '../application/usage/get-usage.use-case.js';
import { instant } from '../domain/api-key.js';
import { type Plan, PLAN_NAMES, type PlanName } from '../domain/plan.js';
import type { QuotaWindow } from '../domain/usage.reader.js';

@ApiSchema({ name: 'UsageWindow', description: 'A time in which requests are counted.' })
export class UsageWindowResponse {
  @CountProperty(1, 'The requests that the plan of your key allows in it.', 60)
  limit: number;

  @CountProperty(0, 'The requests of all keys of your account.', 60)
  used: number;

  @CountProperty(0, 'The requests that your key has left. During a ban none succeeds.', 0)
  left: number;

  @InstantField({
    nullable: true,
    description: 'When it starts anew, in UTC; null when none is running.',
    example: '2026-03-14T12:01:00.000Z',
  })
  resetsAt: string | null;
}

@ApiSchema({
  name: 'UsageBan',
  description: 'Your key continued after 429s, and its requests are refused.',
})
export class UsageBanResponse {
  @InstantField({ description: 'When it began, in UTC.', example: '2026-03-14T12:00:30.000Z' })
  since: string;

  @InstantField({ description: 'When it ends, in UTC.', example: '2026-03-14T12:01:30.000Z' })
  until: string;

  @TextField({
    maxLength: 200,
    pattern: '^[ -~]+$',
    description: 'What led to it.',
    example: '30 requests were refused within a minute.',
  })
  reason: string;
}

@ApiSchema({ name: 'DeprecatedCalls', description: 'The calls of a deprecated operation.' })
export class DeprecatedCallsResponse {
  @TextField({
    maxLength: 100,
    pattern: '^\\w+$',
    description: 'The id of the operation in the OpenAPI document.',
    example: 'getPet',
  })
  operation: string;

  @KeyIdField('The ids of the keys that have called it most, the first one most often.', {
    each: { maxItems: BUSIEST_KEYS },
    example: ['key_0123456789abcdef'],
  })
  keyIds: string[];

  @CountProperty(1, 'How many in the last 30 days.', 7)
  calls: number;

  @DayField({ description: 'The day of the last one.', example: '2026-03-14' })
  lastDay: string;
}

@ApiSchema({ name: 'Usage', description: 'What your account has used.' })
export class UsageResponse {
  @KeyIdField('The id of your key, by which it is rotated and revoked.')
  keyId: string;

  @EnumField(PLAN_NAMES, { name: 'PlanName', example: 'free' })
  plan: PlanName;

  @ApiProperty({ type: UsageWindowResponse })
  minute: UsageWindowResponse;

  @ApiProperty({
    type: UsageWindowResponse,
    example: { limit: 1_000, used: 312, left: 688, resetsAt: '2026-03-15T00:00:00.000Z' },
  })
  day: UsageWindowResponse;

  @ApiProperty({ type: UsageBanResponse, required: false, description: 'Missing without a ban.' })
  ban?: UsageBanResponse;

  @ApiProperty({ type: [DeprecatedCallsResponse], maxItems: 100 })
  deprecatedCalls: DeprecatedCallsResponse[];
}

export function toUsageResponse(
  keyId: string,
  plan: Plan,
  { usage, deprecatedCalls }: AccountUsage,
): UsageResponse {
  const { minute, day, ban } = usage;
  return {
    keyId,
    plan: plan.name,
    minute: toWindow(minute, plan.perMinute),
    day: toWindow(day, plan.perDay),
    ban: ban
      ? {
          since: instant(ban.sinceMs),
          until: instant(ban.untilMs),
          reason: `${ban.refusals ?? 'Too many'} requests were refused within a minute.`,
        }
      : undefined,
    deprecatedCalls: deprecatedCalls.map(({ operation, keyIds, calls, day: last }) => ({
      operation,
      keyIds: [...keyIds],
      calls,
      lastDay: instant(last * DAY_MS).slice(0, 10),
    })),
  };
}

function toWindow(window: QuotaWindow | null, limit: number): UsageWindowResponse {
  const used = window?.used ?? 0;
  return {
    limit,
    used,
    left: Math.max(0, limit - used),
    resetsAt: window && instant(window.resetsAtMs),
  };
}
