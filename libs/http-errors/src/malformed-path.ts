import type { IncomingMessage } from 'node:http';

const malformed = new WeakSet<object>();

/** Whether `disarmMalformedPath` found a malformed percent-escape in the path of this request. */
export function hasMalformedPath(request: object): boolean {
  return malformed.has(request);
}

/**
 * Takes a path with a malformed percent-escape to the route it would match without it, where MalformedPathGuard refuses
 * it. Without the two the router fails to decode the path before any guard runs, and the answer knows nothing of the
 * caller or of the operation. It has to see a request before the router does; Express' `request.originalUrl` stays as
 * sent. The query string is not looked at.
 *
 * @example
 * ```ts
 * app.getHttpServer().prependListener('request', disarmMalformedPath);
 * ```
 */
export function disarmMalformedPath(request: IncomingMessage & { originalUrl?: string }): void {
  const url = request.url!;
  if (!url.includes('%')) return;
  const queryAt = url.indexOf('?');
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  if (isDecodable(path)) return;
  malformed.add(request);
  request.originalUrl = url;
  request.url = path.replaceAll('%', '%25') + url.slice(path.length);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
