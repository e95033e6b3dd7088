import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { RouteTable } from '#libs/http-errors';
import type { DescribeRequest, RequestDescription } from './operations.options.js';

const UNMATCHED: RequestDescription = { route: 'unmatched', operation: 'unmatched' };
/** What never became a request has no method either. */
const UNREADABLE: RequestDescription = { route: 'unreadable', operation: 'unreadable' };

/** Every operation that a request can be counted under. */
export function operationNames(routes: RouteTable): Set<string> {
  const declared = routes.routes.map(({ handler }) => handler.name);
  return new Set([...declared, UNMATCHED.operation, UNREADABLE.operation]);
}

/** Names requests by the route that Express matched; each route's name is worked out once. */
export function describeByRoute(routes: RouteTable): DescribeRequest {
  const known = new WeakMap<object, RequestDescription>();
  return (request: IncomingMessage): RequestDescription => {
    const route = (request as Request).route as object | undefined;
    if (!route) return request.method ? UNMATCHED : UNREADABLE;
    let description = known.get(route);
    if (!description) {
      const declared = routes.routeOf(request as Request);
      description = declared ? { route: declared.path, operation: declared.handler.name } : UNMATCHED;
      known.set(route, description);
    }
    return description;
  };
}
