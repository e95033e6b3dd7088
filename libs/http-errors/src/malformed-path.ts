import type { NextFunction, Request, Response } from 'express';

const malformed = new WeakSet<object>();

/** Whether the middleware found a malformed percent-escape in the path of this request. */
export function hasMalformedPath(request: object): boolean {
  return malformed.has(request);
}

/**
 * Takes a path with a malformed percent-escape to the route it would match without it, where MalformedPathGuard refuses
 * it. Without the two the router fails to decode the path before any guard runs, and the answer knows nothing of the
 * caller or of the operation. Give it to `app.use` before everything that looks at the path; `request.originalUrl` stays
 * as sent. The query string is not looked at.
 *
 * @example
 * ```ts
 * app.use(malformedPathMiddleware);
 * ```
 */
export function malformedPathMiddleware(request: Request, _response: Response, next: NextFunction): void {
  if (request.url.includes('%') && !isDecodable(request.path)) {
    malformed.add(request);
    const queryAt = request.url.indexOf('?');
    const query = queryAt === -1 ? '' : request.url.slice(queryAt);
    request.url = request.path.replaceAll('%', '%25') + query;
  }
  next();
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
