import { maxHeaderSize } from 'node:http';
import {
  BadRequestException,
  HttpException,
  InternalServerErrorException,
  PayloadTooLargeException,
  RequestTimeoutException,
  ServiceUnavailableException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { InvalidApiKey, MissingApiKey, UncheckedApiKey } from '@animal-store/api-keys';
import { MethodNotAllowed, RouteNotFound } from '@animal-store/http-errors';
import { type ErrorClass, StorageUnavailable } from '@animal-store/kernel';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from '@animal-store/rate-limiting';
import { namesOf, unknownProblem } from '../input/read-dto.js';

/** The request cannot be read, or not as HTTP. */
export class InvalidRequest extends BadRequestException {
  static readonly when = 'The request is not valid HTTP.';
  static readonly fix =
    'It has no or several `Host` headers, an incomplete body or conflicting lengths. Usually a hand-written client or a proxy is wrong.';
  static readonly example = new InvalidRequest();
}

export class HeadersTooLarge extends HttpException {
  static readonly when = `Request line and headers are larger than ${maxHeaderSize / 1024} KiB.`;
  static readonly fix = 'Shorten cookies or the query string.';
  static readonly example = new HeadersTooLarge();

  constructor(message = '') {
    super(message, 431);
  }
}

export class RequestTimeout extends RequestTimeoutException {
  static readonly when = 'The request did not arrive in time.';
  static readonly fix =
    'The headers may take {headersTimeout}, the whole request {requestTimeout}. The network is slow, or `Content-Length` is larger than the body.';
  static readonly example = new RequestTimeout();

  constructor() {
    super(RequestTimeout.when);
  }
}

export class PayloadTooLarge extends PayloadTooLargeException {
  static readonly when = 'The body is too large.';
  static readonly fix = 'JSON may have {bodyLimit}; the message has the limit of the operation.';
  static readonly example = new PayloadTooLarge(16_384);

  constructor(limitBytes?: number) {
    super(limitBytes === undefined ? undefined : `The body must not exceed ${limitBytes} bytes.`);
  }
}

export class UnsupportedMediaType extends UnsupportedMediaTypeException {
  static readonly when = 'The body is compressed, or of a type that the operation does not accept.';
  static readonly fix =
    'Send a `Content-Type` that the message names, and no `Content-Encoding`. JSON is in UTF-8.';
  static readonly example = new UnsupportedMediaType('Content-Type must be application/json, in UTF-8.');
}

export class InvalidJson extends BadRequestException {
  static readonly when = 'The body is not JSON text in UTF-8.';
  static readonly fix =
    'It is incomplete, or has a surplus comma, `NaN`, or a name twice with different values. The message says where.';
  static readonly example = new InvalidJson('JSON value expected but reached end of input at position 0');

  constructor(problem: string) {
    super({ code: 'invalid_json', message: `The body must be valid JSON: ${problem}.` });
  }
}

export class ValidationFailed extends BadRequestException {
  static readonly when: string =
    'A field is missing, unknown or has an invalid value. The message names each one and its rule.';
  static readonly fix: string =
    'Int64s are whole JSON numbers without quotes; beyond 2^53 with plain digits only. Unknown fields are refused, as most are misspelled.';
  static readonly example: ValidationFailed = new ValidationFailed('name must not be empty or blank.');

  constructor(message: string) {
    super({ code: 'validation_failed', message });
  }
}

/** The error of an operation without a body: the fields would have no effect. */
export class UnexpectedBody extends ValidationFailed {
  static override readonly when = 'The request has a body; the operation accepts none.';
  static override readonly fix = 'Leave it out. Parameters belong into the path and the query.';
  static override readonly example = new UnexpectedBody(['note']);

  constructor(fields: readonly string[]) {
    const named = fields.length > 0 ? `: ${namesOf(fields)}` : '';
    super(`The body must be left out, as the operation accepts none${named}.`);
  }
}

/** Shares the code of a body that is invalid. */
export class EmptyBody extends BadRequestException {
  static readonly when = 'The body is empty.';
  static readonly fix = 'Send the bytes as the body, without a form.';
  static readonly example = new EmptyBody();

  constructor() {
    super({ code: 'validation_failed', message: 'The body must not be empty.' });
  }
}

/** 429: one caller has its share of the memory for bodies. It has the code of the rate limits. */
export class TooManyBodies extends HttpException {
  static readonly when = 'The account has as many large bodies in progress as it may.';
  static readonly fix = 'Wait for `Retry-After` seconds. Send or fetch fewer at a time.';
  static readonly example = new TooManyBodies();

  constructor() {
    super(
      { code: 'rate_limit_exceeded', message: 'Too many large bodies are in progress. Try again shortly.' },
      429,
    );
  }
}

/** 429: one caller has as many streams as it may. */
export class TooManyStreams extends HttpException {
  static readonly when = 'The account has as many streams open as it may.';
  static readonly fix =
    'Close a stream that is no longer read, or share one. The limit is the setting `MAX_STREAMS_PER_ACCOUNT`.';
  static readonly example = new TooManyStreams(10);

  constructor(max: number) {
    super({ code: 'too_many_streams', message: `No more than ${max} streams may be open at a time.` }, 429);
  }
}

/** 503: the memory for bodies is used up, or `MAX_STREAMS` are open. */
export class ServerFull extends ServiceUnavailableException {
  static readonly when = 'The server is at its limit of large bodies or streams, or shuts down.';
  static readonly fix = 'Wait for `Retry-After` seconds: another server may respond.';
  static readonly example = new ServerFull();

  constructor() {
    super({
      code: 'service_unavailable',
      message: 'The server is at its limit of large bodies or streams. Try again shortly.',
    });
  }
}

/** 416: the requested part does not exist. */
export class RangeNotSatisfiable extends HttpException {
  static readonly when = 'The `Range` begins after the last byte.';
  static readonly fix =
    'The `Content-Range` of the response has the length. Leave out the `Range` to get everything.';
  static readonly example = new RangeNotSatisfiable(1_000);

  constructor(length: number) {
    super({ code: 'range_not_satisfiable', message: `The range is not within the ${length} bytes.` }, 416);
  }
}

export class InvalidParameter extends BadRequestException {
  static readonly when: string =
    'A parameter is unknown, invalid, empty or repeated. The message names it and its rule.';
  static readonly fix: string =
    '`limit` runs from 1 to 100. Leave a parameter out instead of sending it empty.';
  static readonly example: InvalidParameter = new InvalidParameter(
    'limit must be a whole number from 1 to 100.',
  );

  constructor(message: string) {
    super({ code: 'invalid_parameter', message });
  }
}

/** The error of an operation that has no query parameters, or only others. */
export class UnknownParameter extends InvalidParameter {
  static override readonly when = 'The query has a parameter; the operation accepts none.';
  static override readonly fix =
    'Leave out the query. Unknown parameters are refused, as most of them are misspelled.';
  static override readonly example = new UnknownParameter('stauts');

  constructor(name: string, known: readonly string[] = []) {
    super(`${unknownProblem(name, 'parameter', known)}.`);
  }
}

const NOT_COMPARED = 'must be left out: the operation does not compare it.';
const UNSUPPORTED = {
  'if-match': `If-Match ${NOT_COMPARED}`,
  'if-none-match': `If-None-Match ${NOT_COMPARED}`,
  'idempotency-key':
    'Idempotency-Key must be left out: the operation accepts none, so a retry is done again.',
  'content-range':
    'Content-Range must be left out: a PUT replaces the whole content (RFC 9110, section 14.5).',
} as const;

/** A header that must not be ignored: another change, or the rest of the content, would be lost. */
export class UnsupportedHeader extends InvalidParameter {
  static override readonly when =
    'A change has an `If-Match` or `If-None-Match` that its operation does not compare, an `Idempotency-Key` that it does not accept, or a `PUT` has a `Content-Range`.';
  static override readonly fix = 'Leave the header out, and send the whole content.';
  static override readonly example = new UnsupportedHeader('if-match');

  constructor(name: keyof typeof UNSUPPORTED) {
    super(UNSUPPORTED[name]);
  }
}

export class InvalidCursor extends BadRequestException {
  static readonly when = 'The cursor was altered or is from another list or filter.';
  static readonly fix = 'Use the URL of `Link; rel="next"` unchanged, or start with the first page.';
  static readonly example = new InvalidCursor();

  constructor() {
    super({
      code: 'invalid_cursor',
      message:
        'cursor must be copied unchanged from the Link header of the previous page and used with the same filters.',
    });
  }
}

/** How the error filter sends every error that is not described. */
export class InternalError extends InternalServerErrorException {
  static readonly when = 'The service failed. Its log has the cause under the `X-Request-Id`.';
  static readonly fix = 'The request is not the cause. With an `Idempotency-Key` it can be repeated safely.';
  static readonly example = new InternalError();
}

/** The errors of every operation. */
export const EVERY_OPERATION: readonly ErrorClass[] = [
  MissingApiKey,
  InvalidApiKey,
  RateLimitExceeded,
  DailyQuotaExceeded,
  ApiKeyBanned,
  InternalError,
  UncheckedApiKey,
  StorageUnavailable,
];

/** The errors of reading and validating a JSON body. */
export const BODY_ERRORS: readonly ErrorClass[] = [
  InvalidJson,
  ValidationFailed,
  RequestTimeout,
  PayloadTooLarge,
  UnsupportedMediaType,
];

/** The errors of an operation that receives bytes, beside those that name its types and its limit. */
export const BYTES_ERRORS: readonly ErrorClass[] = [EmptyBody, RequestTimeout, TooManyBodies, ServerFull];

/** The errors of an operation that responds with a stream. */
export const STREAM_ERRORS: readonly ErrorClass[] = [TooManyStreams, ServerFull];

/** The errors of reading the parameters of a list. */
export const LIST_ERRORS: readonly ErrorClass[] = [InvalidParameter, InvalidCursor];

/** The errors of requests that do not reach an operation, or have what it does not accept. */
export const NO_OPERATION: readonly ErrorClass[] = [
  InvalidRequest,
  RouteNotFound,
  MethodNotAllowed,
  HeadersTooLarge,
  UnexpectedBody,
  UnsupportedHeader,
];
