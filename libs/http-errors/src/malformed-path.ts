import type { IncomingMessage } from 'node:http';
import { type HttpRequest, nodeRequest, partsOf } from './http.js';

const malformed = new WeakSet<object>();

/** Whether `disarmMalformedPath` found a malformed percent-escape in the path of this request. */
export function hasMalformedPath(request: HttpRequest): boolean {
  return malformed.has(nodeRequest(request));
}

/**
 * Rewrites a path with a malformed percent-escape so that the router finds its route, where MalformedPathGuard refuses
 * it. Otherwise the router fails to decode the path before any guard runs, and the response has no headers of the
 * caller or the operation. It must run before the router. Express's `request.originalUrl` stays as sent. The query
 * string and the authority are not checked.
 *
 * @example
 * ```ts
 * app.getHttpServer().prependListener('request', disarmMalformedPath);
 * ```
 */
export function disarmMalformedPath(request: IncomingMessage & { originalUrl?: string }): void {
  const url = request.url!;
  if (!url.includes('%')) return;
  const { authority, path, rest } = partsOf(url);
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
