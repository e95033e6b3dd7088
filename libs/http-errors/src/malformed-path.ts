import type { IncomingMessage } from 'node:http';

/** A request target in parts: the authority in absolute form (RFC 9112, section 3.2.2), the path, and the rest. */
const TARGET = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)(.*)$/is;

const malformed = new WeakSet<object>();

/** Whether `disarmMalformedPath` found a malformed percent-escape in the path of this request. */
export function hasMalformedPath(request: object): boolean {
  return malformed.has(request);
}

/**
 * Takes a path with a malformed percent-escape to the route it would match without it, where MalformedPathGuard refuses
 * it. Without the two the router fails to decode the path before any guard runs, and the answer knows nothing of the
 * caller or of the operation. It has to see a request before the router does; Express' `request.originalUrl` stays as
 * sent. Neither the query string nor an authority is looked at.
 *
 * @example
 * ```ts
 * app.getHttpServer().prependListener('request', disarmMalformedPath);
 * ```
 */
export function disarmMalformedPath(request: IncomingMessage & { originalUrl?: string }): void {
  const url = request.url!;
  if (!url.includes('%')) return;
  const [, authority = '', path = '', rest = ''] = TARGET.exec(url)!;
  if (isDecodable(path)) return;
  malformed.add(request);
  request.originalUrl = url;
  request.url = authority + path.replaceAll('%', '%25') + rest;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
