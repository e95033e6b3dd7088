import type { NextFunction, Request, Response } from 'express';

const malformed = new WeakSet<object>();

/** Whether the middleware found a malformed percent-escape in the path of this request. */
export function hasMalformedPath(request: object): boolean {
  return malformed.has(request);
}

/**
 * Leads a path with a malformed percent-escape to the catch-all route of UnmatchedRoutesModule, which answers 400
 * `bad_request`. Without it the router fails to decode the path before any guard runs, and the answer knows nothing of
 * the caller. Give it to `app.use` before everything that looks at the path; `request.originalUrl` stays as sent.
 * The query string is not looked at.
 *
 * @param prefix the prefix given to UnmatchedRoutesModule, such as `/v1`
 * @example
 * ```ts
 * app.use(malformedPathMiddleware('/v1'));
 * ```
 */
export function malformedPathMiddleware(
  prefix: string,
): (request: Request, response: Response, next: NextFunction) => void {
  return (request, _response, next) => {
    if (request.url.includes('%') && !isDecodable(request.path)) {
      malformed.add(request);
      const start = request.path.slice(0, prefix.length + 1);
      const sensitive = request.app.enabled('case sensitive routing');
      const inside = (sensitive ? start : start.toLowerCase()) === `${prefix}/`;
      const queryAt = request.url.indexOf('?');
      const query = queryAt === -1 ? '' : request.url.slice(queryAt);
      // No parameter matches an empty segment, so a second slash reaches none but the catch-all route.
      request.url = `${inside ? prefix : ''}//${query}`;
    }
    next();
  };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
