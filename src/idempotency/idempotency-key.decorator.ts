import type { IncomingMessage } from 'node:http';
import { BadRequestException, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { callerOf } from '#libs/api-keys';
import type { DescribedError } from '../http/error-facts.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from './idempotency.errors.js';

/** The `Idempotency-Key` of a request, with the API key within which it is unique. */
export interface IdempotencyKey {
  readonly apiKeyId: string;
  /** As it was sent. */
  readonly value: string;
}

const RULE = 'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.';

/** What using the header may answer, beyond the operation's own. */
export const IDEMPOTENCY_ERRORS: readonly DescribedError[] = [
  {
    status: 400,
    code: 'invalid_parameter',
    when: 'The `Idempotency-Key` is empty, too long, repeated or has other than visible ASCII characters.',
    fix: 'Send one key, a UUID for instance.',
    message: RULE,
  },
  IdempotencyInProgress,
  IdempotencyKeyReused,
];

const BARE = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"([\x21\x23-\x7e]{1,255})"$/;

const readKey = createParamDecorator((_: unknown, context: ExecutionContext): IdempotencyKey | null => {
  const request = context.getArgByIndex<IncomingMessage>(0);
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  return { apiKeyId: callerOf(request)!.keyId, value: String(header) };
});

/**
 * Hands the request's `Idempotency-Key`, or null without one, to a handler's parameter for `Idempotency.once`, and
 * documents the header.
 */
export function IdempotencyKeyHeader(): ParameterDecorator {
  return (target, method, index) => {
    readKey()(target, method, index);
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes a retry safe: within 24 hours the same key with the same input gives the first answer again, ' +
        'marked `Idempotent-Replayed: true`, and does nothing else. 1 to 255 visible ASCII characters, bare or in double quotes.',
      schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[\\x21-\\x7e]+$' },
    })(target, method!, Object.getOwnPropertyDescriptor(target, method!)!);
  };
}

/**
 * The key itself: 1 to 255 visible ASCII characters, bare or as a quoted string.
 * @throws BadRequestException `invalid_parameter` when it is given twice, empty, too long or has odd characters.
 */
export function parseIdempotencyKey(text: string): string {
  const quoted = QUOTED.exec(text);
  if (quoted) return quoted[1]!;
  if (BARE.test(text) && !text.includes('"')) return text;
  throw new BadRequestException({ code: 'invalid_parameter', message: RULE });
}
