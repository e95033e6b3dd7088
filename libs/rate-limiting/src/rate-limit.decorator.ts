import type { IncomingMessage } from 'node:http';
import { SetMetadata } from '@nestjs/common';

/** The metadata key of `@RateLimit`. */
export const ROUTE_COST = 'rate-limiting:cost';

/** A request as guards see it, of Express; a request of Fastify has these two as well. */
export interface RoutedRequest extends IncomingMessage {
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
}

/** How many requests a request counts as. */
export type RouteCost<Request = RoutedRequest> = number | ((request: Request) => number);

export interface RateLimitOptions<Request = RoutedRequest> {
  /**
   * How many requests one request counts as, in every window: a whole number of at least 1. Or a function that computes
   * it from the request, as guards see it; with 0 the request is not counted.
   */
  readonly cost: RouteCost<Request>;
}

/**
 * Makes the requests of a route, or of all routes of a controller, count as several. A plan that allows fewer in a window
 * allows one such request in it.
 *
 * @throws RangeError when the cost is no whole number of at least 1. A request whose computed cost is no whole number of at
 *   least 0 ends with a RangeError, uncounted: make sure that no input leads to one.
 * @example
 * ```ts
 * @RateLimit({ cost: 5 })
 * @Get('report')
 * report() {}
 *
 * @RateLimit({ cost: ({ query }) => ('full' in query ? 10 : 1) })
 * @Get('export')
 * export() {}
 * ```
 */
export function RateLimit<Request = RoutedRequest>({
  cost,
}: RateLimitOptions<Request>): ClassDecorator & MethodDecorator {
  if (typeof cost === 'number') assertCost(cost, 1);
  return SetMetadata(ROUTE_COST, cost);
}

/** @throws RangeError */
export function assertCost(cost: number, least: 0 | 1): void {
  if (Number.isSafeInteger(cost) && cost >= least) return;
  throw new RangeError(`The cost of a request must be a whole number of at least ${least}, not ${cost}.`);
}
