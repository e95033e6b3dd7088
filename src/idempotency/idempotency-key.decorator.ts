import type { IncomingMessage } from 'node:http';
import { BadRequestException, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { callerOf } from '#libs/api-keys';

/** The `Idempotency-Key` of a request, with the API key within which it is unique. */
export interface IdempotencyKey {
  readonly apiKeyId: string;
  readonly value: string;
}

/** What using the header may answer, beyond the operation's own. */
export const IDEMPOTENCY_ERRORS: Readonly<Record<number, string>> = {
  409: 'A request with the same `Idempotency-Key` is still running.',
  422: 'The `Idempotency-Key` was used for another request.',
};

const BARE = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"([\x21\x23-\x7e]{1,255})"$/;

const readKey = createParamDecorator((_: unknown, context: ExecutionContext): IdempotencyKey | null => {
  const request = context.switchToHttp().getRequest<IncomingMessage>();
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  return { apiKeyId: callerOf(request)!.keyId, value: parseIdempotencyKey(header) };
});

/**
 * Hands the request's `Idempotency-Key`, or null without one, to a handler's parameter, and documents the header.
 * The key is 1 to 255 visible ASCII characters, bare or as a quoted string.
 */
export function IdempotencyKeyHeader(): ParameterDecorator {
  return (target, method, index) => {
    readKey()(target, method, index);
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes a retry safe: within 24 hours the same key with the same input gives the first answer again, ' +
        'marked `Idempotent-Replayed: true`, and does nothing else.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    })(target, method!, Object.getOwnPropertyDescriptor(target, method!)!);
  };
}

/** @throws BadRequestException `invalid_parameter` when it is given twice, empty, too long or has odd characters. */
export function parseIdempotencyKey(header: string | string[]): string {
  const text = String(header);
  const quoted = QUOTED.exec(text);
  if (quoted) return quoted[1]!;
  if (BARE.test(text) && !text.includes('"')) return text;
  throw new BadRequestException({
    code: 'invalid_parameter',
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.',
  });
}
