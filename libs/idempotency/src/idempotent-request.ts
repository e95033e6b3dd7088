import { hash } from 'node:crypto';
import { StreamableFile } from '@nestjs/common';
import { isObservable } from 'rxjs';
import { addToHeader, type AnyResponse, setHeader } from '@animal-store/kernel/http';
import { IdempotencyInProgress, InvalidIdempotencyKey } from './idempotency.errors.js';
import type { IdempotencyOptions, SentRequest } from './idempotency.options.js';
import type { Idempotency, StorableResponse } from './idempotency.js';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';

/** The response of Express, or the reply of Fastify. */
export type HandlerResponse = AnyResponse & {
  statusCode: number;
  getHeader(name: string): number | string | string[] | undefined;
  getHeaders(): object;
  /** Fastify has only `getHeaders()`, which copies all. */
  getHeaderNames?(): readonly string[];
  removeHeader(name: string): unknown;
};

/** A request with an `Idempotency-Key` and a caller. */
export interface IdempotentRequest {
  readonly request: SentRequest;
  readonly response: HandlerResponse;
  readonly caller: string;
  /** The name of the handler. */
  readonly operation: string;
  /** The body as the handler gets it; undefined without one. */
  readonly body: unknown;
  /** The API key to which alone the response is replayed; null for every key of the caller. */
  readonly onlyTo: string | null;
}

const JSON_AS_IT_IS = { write: (resource: unknown) => JSON.stringify(resource), read: JSON.parse };

/**
 * Returns the resource of the first response to the request's key: that of `handle`, or the stored one.
 * @throws InvalidIdempotencyKey when the key is invalid; errors in the input come first.
 * @throws IdempotencyKeyReused, IdempotencyInProgress, FirstResponseWithheld
 */
export async function respondOnce(
  idempotency: Idempotency,
  sent: IdempotentRequest,
  handle: (transaction: unknown) => unknown,
): Promise<unknown> {
  const { request, response, caller } = sent;
  const { json = JSON_AS_IT_IS } = idempotency.options;
  const key = { caller, value: parseIdempotencyKey(String(request.headers['idempotency-key'])) };
  const common = headerNamesOf(response);
  let resource: unknown;
  let hasRun = false;
  const first = await idempotency
    .once(key, fingerprintOf(sent, idempotency.options), async (transaction) => {
      if (hasRun) removeAllBut(common, response);
      hasRun = true;
      resource = await handle(transaction);
      return storable(response, resource, common, json);
    })
    .catch((error: unknown) => {
      if (error instanceof IdempotencyInProgress) setHeader(response, 'Retry-After', '1');
      throw error;
    });
  if (!first.isReplayed) return resource;
  if (hasRun) removeAllBut(common, response);
  return replay(response, first.response, json);
}

const BARE = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"([\x21\x23-\x7e]{1,255})"$/;

/**
 * Parses an Idempotency-Key: 1 to 255 visible ASCII characters, bare or as a quoted string.
 * @throws InvalidIdempotencyKey when it is repeated, empty, too long or has other characters.
 */
export function parseIdempotencyKey(text: string): string {
  const quoted = QUOTED.exec(text);
  if (quoted) return quoted[1]!;
  if (BARE.test(text) && !text.includes('"')) return text;
  throw new InvalidIdempotencyKey();
}

/** Removes the headers that a run of the handler has set when its transaction was rolled back. */
function removeAllBut(common: readonly string[], response: HandlerResponse): void {
  for (const name of headerNamesOf(response)) if (!common.includes(name)) response.removeHeader(name);
}

function headerNamesOf(response: HandlerResponse): readonly string[] {
  return response.getHeaderNames?.() ?? Object.keys(response.getHeaders());
}

/** A hash that is equal for equal requests, and one of the API key when that must be the same. */
function fingerprintOf(
  { request, operation, body, onlyTo }: IdempotentRequest,
  { addressOf = methodAndUrl, json = JSON_AS_IT_IS }: IdempotencyOptions,
): string {
  const ofRequest = hash('sha256', `${addressOf(request, operation)} ${contentOf(body, json)}`, 'base64url');
  return onlyTo === null ? ofRequest : `${ofRequest} ${hash('sha256', onlyTo, 'base64url')}`;
}

function methodAndUrl({ method, originalUrl }: SentRequest): string {
  return `${method} ${originalUrl}`;
}

/** The JSON of bytes is a list of numbers. */
function contentOf(body: unknown, json: typeof JSON_AS_IT_IS): string {
  if (Buffer.isBuffer(body)) return contentOf({ bytes: body }, json);
  const { bytes, mediaType } = (body ?? {}) as { bytes?: unknown; mediaType?: unknown };
  return Buffer.isBuffer(bytes)
    ? `${String(mediaType)} ${hash('sha256', bytes, 'base64url')}`
    : json.write(body ?? null);
}

function storable(
  response: HandlerResponse,
  resource: unknown,
  common: readonly string[],
  json: typeof JSON_AS_IT_IS,
): StorableResponse {
  if (ArrayBuffer.isView(resource) || resource instanceof StreamableFile || isObservable(resource))
    throw new TypeError('An @Idempotent() handler must return JSON: other responses cannot be stored.');
  const headers: Record<string, string | readonly string[]> = {};
  for (const name of headerNamesOf(response)) {
    if (common.includes(name)) continue;
    const value = response.getHeader(name);
    headers[name] = Array.isArray(value) ? value : String(value);
  }
  return { status: response.statusCode, headers, body: resource === undefined ? '' : json.write(resource) };
}

/** Sets all but the resource, and returns that: interceptors treat a replay like the first response. */
function replay(
  response: HandlerResponse,
  { status, headers, body }: StorableResponse,
  json: typeof JSON_AS_IT_IS,
): unknown {
  if (status !== null) response.statusCode = status;
  for (const [name, values] of Object.entries(headers))
    for (const value of [values].flat()) addToHeader(response, name, value);
  addToHeader(response, IDEMPOTENT_REPLAYED, 'true');
  return body === '' ? undefined : json.read(body);
}
