import { hash } from 'node:crypto';
import { StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isObservable } from 'rxjs';
import { callerOf } from '@animal-store/api-keys';
import { toJson } from '@animal-store/kernel';
import { JsonResponse } from '../http/json-response.js';
import { parseIdempotencyKey } from './idempotency-key.js';
import type { Idempotency, StorableResponse } from './idempotency.js';
import { IDEMPOTENT_REPLAYED } from '../http/header-names.js';

/** A request with an `Idempotency-Key`, read and validated. */
export interface IdempotentRequest {
  readonly request: Request;
  /** The name of the handler. */
  readonly operation: string;
  /** The body as the handler gets it, or a promise of it; null when the handler reads no body. */
  readonly body: unknown;
}

/**
 * Returns the first response to the request's key: that of `handle`, or the stored one.
 * @throws InvalidIdempotencyKey when the key is invalid; errors in the input come first.
 * @throws IdempotencyKeyReused, IdempotencyInProgress
 */
export async function respondOnce(
  idempotency: Idempotency,
  sent: IdempotentRequest,
  handle: () => unknown,
): Promise<JsonResponse | undefined> {
  const { request } = sent;
  const response = request.res!;
  const key = {
    apiKeyId: callerOf(request)!.keyId,
    value: parseIdempotencyKey(String(request.headers['idempotency-key'])),
  };
  const common = response.getHeaderNames();
  let reply: JsonResponse | undefined;
  const first = await idempotency.once(key, await fingerprintOf(sent), async () => {
    removeAllBut(common, response);
    reply = replyOf(await handle());
    return storable(response, reply, common);
  });
  if (!first.isReplayed) return reply;
  removeAllBut(common, response);
  return replay(response, first.response);
}

/** Removes the headers that a run of the handler has set when its transaction was rolled back. */
function removeAllBut(common: readonly string[], response: Response): void {
  for (const name of response.getHeaderNames()) if (!common.includes(name)) response.removeHeader(name);
}

/** A hash that is equal for equal requests: of the operation, its URL when it has parameters, and its body. */
async function fingerprintOf({ request, operation, body }: IdempotentRequest): Promise<string> {
  const { params, originalUrl } = request;
  const isPlain = Object.keys(params).length === 0 && !originalUrl.includes('?');
  const address = isPlain ? operation : `${operation} ${originalUrl}`;
  return hash('sha256', `${address} ${toJson((await body) ?? null)}`, 'base64url');
}

function replyOf(result: unknown): JsonResponse | undefined {
  if (result instanceof JsonResponse) return result;
  if (result === undefined || result === null) return undefined;
  if (typeof result !== 'object' || result instanceof StreamableFile || isObservable(result)) {
    throw new TypeError('An @Idempotent() handler must return JSON: other responses cannot be stored.');
  }
  return new JsonResponse(toJson(result));
}

/** @param common the names of the headers that are set before the handler runs */
function storable(
  response: Response,
  reply: JsonResponse | undefined,
  common: readonly string[],
): StorableResponse {
  const headers: Record<string, string | readonly string[]> = { ...reply?.headers };
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value === undefined || common.includes(name)) continue;
    headers[name] = Array.isArray(value) ? value : String(value);
  }
  return { status: response.statusCode, headers, body: reply?.json ?? '' };
}

function replay(response: Response, { status, headers, body }: StorableResponse): JsonResponse | undefined {
  if (status !== null) response.status(status);
  for (const [name, value] of Object.entries(headers)) response.appendHeader(name, value);
  response.setHeader(IDEMPOTENT_REPLAYED, 'true');
  return body === '' ? undefined : new JsonResponse(body);
}
