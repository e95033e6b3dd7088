import { type ServerResponse, STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { DOMAIN_ERROR, type DomainError } from '@animal-store/kernel';
import {
  addToHeader,
  type AnyResponse,
  isFastifyReply,
  nodeResponse,
  setHeader,
} from '@animal-store/kernel/http';

/** An error response: the three fields of the Error object, and headers. */
export interface HttpError {
  /** HTTP status code, 400 to 599. */
  status: number;
  code: string;
  message: string;
  headers?: Readonly<Record<string, string>>;
}

/** The code of each status, and the message when the error has none that may be shown. */
const BY_STATUS = new Map<number, readonly [code: string, message: string]>([
  [400, ['bad_request', 'The request is malformed.']],
  [401, ['unauthorized', 'The request has no valid credentials.']],
  [403, ['forbidden', 'The credentials do not allow this request.']],
  [404, ['not_found', 'The resource does not exist.']],
  [405, ['method_not_allowed', 'The path does not support this method.']],
  [406, ['not_acceptable', 'The service only sends application/json.']],
  [408, ['request_timeout', 'The request took too long.']],
  [409, ['conflict', 'The request conflicts with the current state.']],
  [410, ['gone', 'The resource is gone.']],
  [412, ['precondition_failed', 'A condition in the request headers is false.']],
  [413, ['payload_too_large', 'The request body is too large.']],
  [414, ['uri_too_long', 'The request target is too long.']],
  [415, ['unsupported_media_type', 'The media type of the request body is not supported.']],
  [422, ['unprocessable', 'The request cannot be processed.']],
  [428, ['precondition_required', 'The request needs a condition in its headers, such as If-Match.']],
  [429, ['rate_limit_exceeded', 'Too many requests. Try again later.']],
  [431, ['headers_too_large', 'The request headers are too large.']],
  [503, ['service_unavailable', 'The service is unavailable. Try again shortly.']],
]);

/** The statuses with a message of their own. The code of any other is the name of the status. */
export const CODED_STATUSES: readonly number[] = [...BY_STATUS.keys()];

/**
 * The default error of a status.
 *
 * @param status HTTP status code, 400 to 599
 * @example
 * httpErrorOf(408); // { status: 408, code: 'request_timeout', message: 'The request took too long.' }
 */
export function httpErrorOf(status: number): HttpError {
  const [code, message] =
    BY_STATUS.get(status) ??
    (status < 500
      ? [codeOf(status) ?? 'bad_request', 'The request cannot be served.']
      : [codeOf(status) ?? 'internal_error', 'The service failed to process the request.']);
  return { status, code, message };
}

/** `I'm a Teapot` becomes `im_a_teapot`. */
function codeOf(status: number): string | undefined {
  if (status === 500) return undefined;
  return STATUS_CODES[status]?.toLowerCase().replace(/'/g, '').replace(/\W+/g, '_');
}

/**
 * The response to an error, as `HttpErrorFilter` sends it without a translation.
 *
 * - An HttpException whose body has `code` and `message` is sent with both.
 * - Any other has its `errorCode`, or the code of its status. Its message is sent below 500, as the text of a 5xx may
 *   be internal. Lists and groups of messages, `errors` and `details` of its body become sentences of the message.
 * - A domain error of our packages has its own code, and the status of its kind.
 * - Any other error is 500 `internal_error`, unless it has a 4xx `status` or `statusCode`, as libraries throw them.
 *
 * @example
 * httpErrorFrom(new ConflictException('Berth 3 is taken.'));
 * // { status: 409, code: 'conflict', message: 'Berth 3 is taken.' }
 */
export function httpErrorFrom(error: unknown): HttpError {
  if (!(error instanceof HttpException))
    return domainError(error) ?? httpErrorOf(clientErrorStatus(error) ?? 500);
  const status = error.getStatus();
  if (!isErrorStatus(status)) return httpErrorOf(500);
  const body: unknown = error.getResponse();
  if (isCoded(body)) return { status, code: body.code, message: withDetails(body.message, body, status) };
  const { code, message } = httpErrorOf(status);
  return { status, code: ownCode(error, body) ?? code, message: ownMessage(body, status) ?? message };
}

/** The status of each kind of domain error. */
const BY_KIND: Readonly<Record<DomainError['kind'], number>> = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'precondition-failed': 412,
  unprocessable: 422,
  'precondition-required': 428,
  unavailable: 503,
};

/** A domain error of any package of ours, which may have a copy of its class. */
function domainError(error: unknown): HttpError | null {
  const {
    [DOMAIN_ERROR]: kind,
    code,
    message,
    retryAfterSeconds,
  } = (error ?? {}) as Partial<DomainError> & {
    readonly retryAfterSeconds?: number;
  };
  if (kind === undefined || !Object.hasOwn(BY_KIND, kind)) return null;
  const sent = { status: BY_KIND[kind], code: code!, message: message! };
  return retryAfterSeconds === undefined
    ? sent
    : { ...sent, headers: { 'Retry-After': `${retryAfterSeconds}` } };
}

/** Whether a status is one of an error. */
export function isErrorStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599;
}

/** The code that Nest 12 sends beside the message. */
function ownCode(error: HttpException, body: unknown): string | null {
  const { errorCode } = error.errorCode === undefined ? ((body ?? {}) as { errorCode?: unknown }) : error;
  return typeof errorCode === 'string' && errorCode !== '' ? errorCode : null;
}

/** Null when the exception has no message that is meant for clients. */
function ownMessage(body: unknown, status: number): string | null {
  if (status >= 500) return null;
  const message = messageOf(body);
  const isStandard = message.toLowerCase() === STATUS_CODES[status]?.toLowerCase();
  const all = withDetails(isStandard ? '' : message, body, status);
  // `new ConflictException()` only says "Conflict"; the message of the status says more.
  return all.trim() === '' ? null : all;
}

function messageOf(body: unknown): string {
  if (typeof body === 'string') return body;
  // Nest does not show the text of `new BadRequestException(error)` either.
  if (typeof body !== 'object' || body === null || body instanceof Error || !('message' in body)) return '';
  const { message } = body;
  if (typeof message === 'string') return message;
  if (!Array.isArray(message)) return joined(message);
  return message.every((line) => typeof line === 'string') ? message.join('; ') : '';
}

/** The Error object has no other place for the `errors` of nestjs-zod, or for details of an application. */
function withDetails(message: string, body: unknown, status: number): string {
  if (status >= 500 || typeof body !== 'object' || body === null || body instanceof Error) return message;
  const { errors, details } = body as { errors?: unknown; details?: unknown };
  const facts = joined([errors, details]);
  if (facts === '' || message === '') return message || facts;
  return `${message.replace(/\.$/, '')}: ${facts}`;
}

const MAX_SENTENCES = 20;

interface Fact {
  /** The names and indices that lead to what it is about. */
  readonly path: readonly string[];
  readonly message: string;
}

function joined(value: unknown): string {
  return factsOf(value, []).slice(0, MAX_SENTENCES).map(sentenceOf).join('; ');
}

/**
 * The texts in a list or an object, each with the path of what it is about. An object may be an issue with a message,
 * or a ValidationError of class-validator.
 */
function factsOf(value: unknown, path: readonly string[]): Fact[] {
  if (Array.isArray(value)) return value.flatMap((item) => factsOf(item, path));
  if (typeof value === 'object' && value !== null) {
    const { message, path: issue, property, constraints, children } = value as Record<string, unknown>;
    if (typeof message === 'string') return factsOf(message, [...path, ...[issue ?? []].flat().map(String)]);
    if (typeof property === 'string' && (constraints || children)) {
      const below = [...path, property];
      return [...factsOf(Object.values(constraints ?? {}), below), ...factsOf(children ?? [], below)];
    }
    return Object.entries(value).flatMap(([name, item]) => factsOf(item, [...path, ...name.split('.')]));
  }
  if (value === undefined || value === null) return [];
  return [{ path, message: `${value as string | number}` }];
}

function sentenceOf({ path, message }: Fact): string {
  const place = path.join('.');
  // Rules of class-validator begin with the name of the field.
  const name = place.split('.').at(-1)!;
  if (place !== '' && message.startsWith(`${name} `)) return `${place}${message.slice(name.length)}`;
  return place === '' ? message : `${place}: ${message}`;
}

function isCoded(body: unknown): body is { code: string; message: string } {
  const { code, message } = (body ?? {}) as Partial<HttpError>;
  return typeof code === 'string' && typeof message === 'string';
}

function clientErrorStatus(error: unknown): number | undefined {
  const { status, statusCode } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
  return [status, statusCode].find((value): value is number => isErrorStatus(value) && value < 500);
}

/** Stored on the response, so that the code is collected with it. */
const CODE = Symbol('error code');
const JSON_TYPE = 'application/json; charset=utf-8';
type CodedResponse = ServerResponse & { [CODE]?: string };

/**
 * The code of the error that was sent with `sendError`; undefined for every other response. For logs and metrics.
 *
 * @example
 * response.on('finish', () => log({ status: response.statusCode, code: sentErrorCode(response) }));
 */
export function sentErrorCode(response: ServerResponse): string | undefined {
  return (response as CodedResponse)[CODE];
}

/**
 * Sends exactly `{"code","message","status"}` with `application/json; charset=utf-8`; a status that is not one of an
 * error as 500. Headers that are already set stay. For errors outside Nest: in middleware and in events of the server.
 *
 * @param response a response, or a reply of Fastify, whose headers have not been sent
 * @param helpUrl the page that describes all errors: `Link; rel="help"` has its URL with the code as fragment
 * @example
 * ```ts
 * server.on('clientError', (_error, socket) => {
 *   const response = new ServerResponse(new IncomingMessage(socket));
 *   response.assignSocket(socket);
 *   sendError(response, httpErrorOf(400));
 * });
 * ```
 */
export function sendError(response: AnyResponse, error: HttpError, helpUrl?: string): void {
  const sent = isErrorStatus(error.status) ? error : httpErrorOf(500);
  const { status, code, message } = sent;
  const body = JSON.stringify({ code, message, status });
  setErrorHeaders(response, sent, helpUrl);
  if (isFastifyReply(response)) {
    response.header('Content-Type', JSON_TYPE);
    response.code(status);
    // Fastify computes the length, and leaves out the body for HEAD. To the type of a text an early one adds a charset.
    response.send(Buffer.from(body));
    return;
  }
  response.statusCode = status;
  response.setHeader('Content-Type', JSON_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  // RFC 9110 section 9.3.2: HEAD has the headers of GET, including the length, and no body.
  if (response.req.method === 'HEAD') response.end();
  else response.end(body);
}

/** What an error has beside its status and its body, for a response that is no Error object, such as a page. */
export function setErrorHeaders(response: AnyResponse, { code, headers }: HttpError, helpUrl?: string): void {
  (nodeResponse(response) as CodedResponse)[CODE] = code;
  for (const name in headers) setHeader(response, name, headers[name]!);
  if (helpUrl !== undefined) addToHeader(response, 'Link', `<${helpUrl}#${code}>; rel="help"`);
  // RFC 9110 section 15.1: without this header caches may store a 404, 405, 410 or 414.
  setHeader(response, 'Cache-Control', 'no-store');
}
