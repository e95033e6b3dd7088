import type { IncomingMessage } from 'node:http';
import { type HttpError, httpErrorOf } from '#libs/http-errors';

/** As many as common proxies allow. Node would pass over those beyond a number of its own, without a word. */
const HEADERS_AT_MOST = 100;

/** RFC 9112, section 3.2.2: a proxy may send the whole URL. No port but digits: Node would print the URL as a warning. */
const ABSOLUTE_TARGET = /^[a-z][a-z\d+.-]*:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?]|$)/i;

export const UNREADABLE_TARGET: HttpError = {
  ...httpErrorOf(400),
  message: 'The request target is no valid URL.',
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
 * What is wrong with a request as an HTTP message, or null. The parser has seen to the rest; it takes requests
 * without a Host header because its own answer to them would be no Error object.
 */
export function messageProblem({ rawHeaders, url, httpVersionMinor }: IncomingMessage): HttpError | null {
  if (rawHeaders.length > 2 * HEADERS_AT_MOST) return TOO_MANY_HEADERS;
  const hosts = hostCount(rawHeaders);
  // RFC 9112, section 3.2. HTTP/1.0 knew no Host.
  if (hosts !== 1 && (hosts !== 0 || httpVersionMinor !== 0)) return WRONG_HOST;
  return isTarget(url!) ? null : UNREADABLE_TARGET;
}

/** Of any of the forms that a request can have; a fragment is for the client (RFC 9112, section 3.2). */
function isTarget(url: string): boolean {
  return (url.startsWith('/') || url === '*' || ABSOLUTE_TARGET.test(url)) && !url.includes('#');
}

/** Counted in the raw headers, as Node keeps the first Host and drops the others. */
function hostCount(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) count++;
  }
  return count;
}
