import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { RouteTable } from '@animal-store/http-errors';
import type { DescribeRequest, RequestDescription } from './operations.options.js';

const UNMATCHED: RequestDescription = { route: 'unmatched', operation: 'unmatched' };
/** Input that could not be read as a request has no method. */
const UNREADABLE: RequestDescription = { route: 'unreadable', operation: 'unreadable' };

/** The names of all operations in the metrics. */
export function operationNames(routes: RouteTable): Set<string> {
  const declared = routes.routes.map(({ handler }) => handler.name);
  return new Set([...declared, UNMATCHED.operation, UNREADABLE.operation]);
}

/** Describes requests by the route that Express matched. The description of a route is computed once. */
export function describeByRoute(routes: RouteTable): DescribeRequest {
  const known = new WeakMap<object, RequestDescription>();
  return (request: IncomingMessage): RequestDescription => {
    const route = (request as Request).route as object | undefined;
    if (!route) return request.method ? UNMATCHED : UNREADABLE;
    let description = known.get(route);
    if (!description) {
      const declared = routes.routeOf(request);
      description = declared ? { route: declared.path, operation: declared.handler.name } : UNMATCHED;
      known.set(route, description);
    }
    return description;
  };
}
