import type { operations } from './generated/schema.js';

/** The rate limit in the `X-RateLimit-*` headers of a response: that of the window with the fewest requests left. */
export interface Limits {
  /** The number of requests that the window allows. */
  limit: number;
  /** The number of requests left. */
  remaining: number;
  /** When the window resets. */
  resetAt: Date;
}

/** One attempt of a request. */
export interface SentRequest {
  readonly operation: keyof operations;
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** The number of earlier attempts of the same call. */
  readonly retry: number;
}

/** Facts about a response, besides its body, and about its request. */
export interface ResponseInfo extends SentRequest {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The id under which the service logged the request. */
  readonly requestId: string | null;
  /** The rate limit after this request; null when the response is not from the service. */
  readonly limits: Limits | null;
  readonly durationMs: number;
}

export function responseInfo(
  request: SentRequest,
  response: Response | null,
  durationMs: number,
): ResponseInfo {
  const { status = 0, headers = new Headers() } = response ?? {};
  const facts = { status, requestId: headers.get('X-Request-Id'), limits: limitsOf(headers), durationMs };
  return { ...request, ...facts };
}

/** The rate limit in a response; null when it has none, such as the response of a proxy. */
export function limitsOf(headers: Headers): Limits | null {
  const numberIn = (name: string) => parseInt(headers.get(`X-RateLimit-${name}`) ?? '');
  const [limit, remaining, resetSeconds] = [numberIn('Limit'), numberIn('Remaining'), numberIn('Reset')];
  if (isNaN(limit + remaining + resetSeconds)) return null;
  return { limit, remaining, resetAt: new Date(resetSeconds * 1000) };
}

/** The target of the link with this relation (RFC 8288). */
export function linkTarget(headers: Headers, relation: string): string | null {
  const links = headers.get('Link')?.matchAll(/<([^>]*)>\s*;\s*rel="([^"]*)"/g) ?? [];
  for (const [, target, rel] of links) if (rel === relation) return target!;
  return null;
}
