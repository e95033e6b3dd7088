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

/** Facts about a response, besides its body. */
export interface ResponseInfo {
  operation: keyof operations;
  /** The HTTP status. */
  status: number;
  /** The id under which the service logged the request. */
  requestId: string | null;
  /** The rate limit after this request; null when the response is not from the service. */
  limits: Limits | null;
  /** The number of earlier tries of the same call. */
  retry: number;
}

export function responseInfo(
  operation: keyof operations,
  { status, headers }: Response,
  retry: number,
): ResponseInfo {
  return { operation, status, requestId: headers.get('X-Request-Id'), limits: limitsOf(headers), retry };
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
