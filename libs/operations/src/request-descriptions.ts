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

/** A route of Express, and the methods that it has. */
interface MatchedRoute {
  readonly path: string;
  readonly methods: Readonly<Record<string, boolean>>;
}

/** Describes requests by the route that Express matched. The description of a route is computed once. */
export function describeByRoute(table: RouteTable): DescribeRequest {
  const cache = new WeakMap<MatchedRoute, RequestDescription>();
  return (request: IncomingMessage): RequestDescription => {
    const matched = (request as Request).route as MatchedRoute | undefined;
    if (!matched) return request.method ? UNMATCHED : UNREADABLE;
    let description = cache.get(matched);
    if (!description) {
      const route = table.routes.find(
        ({ path, method }) =>
          path === matched.path && (method === 'ALL' || matched.methods[method.toLowerCase()]),
      );
      description = route ? { route: route.path, operation: route.handler.name } : UNMATCHED;
      cache.set(matched, description);
    }
    return description;
  };
}
