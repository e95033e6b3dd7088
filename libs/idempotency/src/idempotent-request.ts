import { hash } from 'node:crypto';
import { StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isObservable } from 'rxjs';
import { callerOf } from '@animal-store/api-keys';
import { parseJson, toJson } from '@animal-store/kernel';
import { type BytesBody, IDEMPOTENT_REPLAYED } from '@animal-store/web';
import { InvalidIdempotencyKey } from './idempotency.errors.js';
import type { Idempotency, StorableResponse } from './idempotency.js';

/** A request with an `Idempotency-Key`, read and validated. */
export interface IdempotentRequest {
  readonly request: Request;
  /** The name of the handler. */
  readonly operation: string;
  /** The body as the handler gets it; undefined without one. */
  readonly body: unknown;
}

/**
 * Returns the resource of the first response to the request's key: that of `handle`, or the stored one.
 * @throws InvalidIdempotencyKey when the key is invalid; errors in the input come first.
 * @throws IdempotencyKeyReused, IdempotencyInProgress
 */
export async function respondOnce(
  idempotency: Idempotency,
  sent: IdempotentRequest,
  handle: () => unknown,
): Promise<unknown> {
  const { request } = sent;
  const response = request.res!;
  const key = {
    apiKeyId: callerOf(request)!.keyId,
    value: parseIdempotencyKey(String(request.headers['idempotency-key'])),
  };
  const common = response.getHeaderNames();
  let resource: unknown;
  let hasRun = false;
  const first = await idempotency.once(key, fingerprintOf(sent), async () => {
    if (hasRun) removeAllBut(common, response);
    hasRun = true;
    resource = await handle();
    return storable(response, resource, common);
  });
  if (!first.isReplayed) return resource;
  if (hasRun) removeAllBut(common, response);
  return replay(response, first.response);
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
function removeAllBut(common: readonly string[], response: Response): void {
  for (const name of response.getHeaderNames()) if (!common.includes(name)) response.removeHeader(name);
}

/** A hash that is equal for equal requests: of the operation, its URL when it has parameters, and its body. */
function fingerprintOf({ request, operation, body }: IdempotentRequest): string {
  const { params, originalUrl } = request;
  const isPlain = Object.keys(params).length === 0 && !originalUrl.includes('?');
  const address = isPlain ? operation : `${operation} ${originalUrl}`;
  return hash('sha256', `${address} ${contentOf(body)}`, 'base64url');
}

/** The JSON of bytes is a list of numbers. */
function contentOf(body: unknown): string {
  const { bytes, mediaType } = (body ?? {}) as Partial<BytesBody>;
  return Buffer.isBuffer(bytes) ? `${mediaType} ${hash('sha256', bytes, 'base64url')}` : toJson(body ?? null);
}

/** @param common the names of the headers that are set before the handler runs */
function storable(response: Response, resource: unknown, common: readonly string[]): StorableResponse {
  const isNothing = resource === undefined || resource === null;
  const isJson =
    typeof resource === 'object' && !(resource instanceof StreamableFile) && !isObservable(resource);
  if (!isNothing && !isJson) {
    throw new TypeError('An @Idempotent() handler must return JSON: other responses cannot be stored.');
  }
  const headers: Record<string, string | readonly string[]> = {};
  for (const name of response.getHeaderNames()) {
    if (common.includes(name)) continue;
    const value = response.getHeader(name)!;
    headers[name] = Array.isArray(value) ? value : String(value);
  }
  return { status: response.statusCode, headers, body: isNothing ? '' : toJson(resource) };
}

/** Sets all but the resource, and returns that: interceptors treat a replay like the first response. */
function replay(response: Response, { status, headers, body }: StorableResponse): unknown {
  if (status !== null) response.status(status);
  for (const [name, value] of Object.entries(headers)) response.appendHeader(name, value);
  response.setHeader(IDEMPOTENT_REPLAYED, 'true');
  return body === '' ? undefined : parseJson(body);
}
