import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { longestCursor } from './cursor.js';
import { FollowsRule } from '../input/validation.js';

/** The default page size, and its bounds (contract section 4.1). */
export const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** Longer than the cursor of a list sorted by id, or by another int64. */
const LONGEST_CURSOR = 64;

function limitProblem(value: unknown): string | null {
  const isLimit = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_LIMIT;
  return isLimit ? null : `must be a whole number from 1 to ${MAX_LIMIT}`;
}

/** The `limit` parameter of every list. */
export function PageLimit(): PropertyDecorator {
  return applyDecorators(
    FollowsRule(limitProblem, {}, 'isInt'),
    ApiPropertyOptional({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
      description: 'The maximum number of items.',
    }),
  );
}

/**
 * The `cursor` parameter of every list.
 *
 * @param longestText of a list that is sorted by text: how many characters that text has at most
 */
export function PageCursor(longestText?: number): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    IsString(),
    ApiPropertyOptional({
      type: 'string',
      maxLength: longestText === undefined ? LONGEST_CURSOR : longestCursor(longestText),
      pattern: '^[\\w-]+$',
      description:
        'Where the page starts. Copy it unchanged from the `Link` header of the previous page. It is opaque.',
    }),
  );
}
