import type { IncomingMessage } from 'node:http';
import { type HttpError, httpErrorFrom } from '@animal-store/http-errors';
import { HeadersTooLarge, InvalidRequest } from '../responses/request.errors.js';

/** The number that common proxies allow. Node would silently drop headers beyond a limit of its own. */
const MAX_HEADERS = 100;

/**
 * RFC 9112, section 3.2.2: a proxy may send the whole URL. The port must have digits only, as Node would print such a
 * URL in a warning.
 */
const ABSOLUTE_TARGET = /^[a-z][a-z\d+.-]*:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?]|$)/i;

export const UNREADABLE_TARGET = httpErrorFrom(new InvalidRequest('The request target is not a valid URL.'));
const WRONG_HOST = httpErrorFrom(new InvalidRequest('The request must have exactly one Host header.'));
const WRONG_CONTENT_TYPE = httpErrorFrom(
  new InvalidRequest('The request must have no more than one Content-Type header.'),
);
const TOO_MANY_HEADERS = httpErrorFrom(
  new HeadersTooLarge(`The request must have no more than ${MAX_HEADERS} headers.`),
);

/**
 * The error in the head of a request that the parser accepts; null when there is none. The parser accepts requests
 * without a Host header here, as its own response would not be an Error object.
 */
export function requestHeadError(request: IncomingMessage): HttpError | null {
  const { rawHeaders, headers, url, httpVersionMinor } = request;
  if (rawHeaders.length > 2 * MAX_HEADERS) return TOO_MANY_HEADERS;
  const hosts = count('host', rawHeaders);
  // RFC 9112, section 3.2. HTTP/1.0 knew no Host.
  if (hosts !== 1 && (hosts !== 0 || httpVersionMinor !== 0)) return WRONG_HOST;
  if (headers['content-type'] !== undefined && count('content-type', rawHeaders) > 1)
    return WRONG_CONTENT_TYPE;
  return isTarget(url!) ? null : UNREADABLE_TARGET;
}

/** Any form of request target. A fragment is only for clients (RFC 9112, section 3.2). */
function isTarget(url: string): boolean {
  return (url.startsWith('/') || url === '*' || ABSOLUTE_TARGET.test(url)) && !url.includes('#');
}

/** Counts the raw headers of a name in lower case. Node uses the first of these and drops the others. */
function count(lowerCaseName: string, rawHeaders: readonly string[]): number {
  let found = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) found++;
  }
  return found;
}

/** The last coding is `chunked`. Node joins the headers of a request, and any of them may be empty. */
const ENDS_CHUNKED = /chunked[\s,]*$/i;

/**
 * Whether it is unknown where the next request begins. The server speaks no protocol that an `Upgrade` requests, and
 * Node would skip a part of what follows. The parser accepts a `Transfer-Encoding` that names no coding, which hides
 * the length (RFC 9112, section 6.3).
 */
export function hasUnknownEnd({ headers }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding'];
  return headers.upgrade !== undefined || (codings !== undefined && !ENDS_CHUNKED.test(codings));
}
