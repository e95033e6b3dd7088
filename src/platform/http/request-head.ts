import type { IncomingMessage } from 'node:http';
import { type HttpError, httpErrorOf } from '#libs/http-errors';

/** The number that common proxies allow. Node would silently drop headers beyond a limit of its own. */
const HEADERS_AT_MOST = 100;

/**
 * RFC 9112, section 3.2.2: a proxy may send the whole URL. The port must have digits only, as Node would print such a
 * URL in a warning.
 */
const ABSOLUTE_TARGET = /^[a-z][a-z\d+.-]*:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?]|$)/i;

export const UNREADABLE_TARGET: HttpError = {
  ...httpErrorOf(400),
  message: 'The request target is not a valid URL.',
};
const WRONG_HOST: HttpError = {
  ...httpErrorOf(400),
  message: 'The request must have exactly one Host header.',
};
const TOO_MANY_HEADERS: HttpError = {
  ...httpErrorOf(431),
  message: `The request must have no more than ${HEADERS_AT_MOST} headers.`,
};

/**
 * The error in the head of a request that the parser accepts; null when there is none. The parser accepts requests
 * without a Host header here, as its own response would not be an Error object.
 */
export function requestHeadError({ rawHeaders, url, httpVersionMinor }: IncomingMessage): HttpError | null {
  if (rawHeaders.length > 2 * HEADERS_AT_MOST) return TOO_MANY_HEADERS;
  const hosts = hostCount(rawHeaders);
  // RFC 9112, section 3.2. HTTP/1.0 knew no Host.
  if (hosts !== 1 && (hosts !== 0 || httpVersionMinor !== 0)) return WRONG_HOST;
  return isTarget(url!) ? null : UNREADABLE_TARGET;
}

/** Any form of request target. A fragment is only for clients (RFC 9112, section 3.2). */
function isTarget(url: string): boolean {
  return (url.startsWith('/') || url === '*' || ABSOLUTE_TARGET.test(url)) && !url.includes('#');
}

/** Counts the raw headers, as Node uses the first Host and drops the others. */
function hostCount(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) count++;
  }
  return count;
}
