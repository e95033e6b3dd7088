import { SetMetadata } from '@nestjs/common';

/** The metadata key of `@RateLimit`. */
export const ROUTE_COST = 'rate-limiting:cost';

export interface RateLimitOptions {
  /** How many requests one request counts as, in every window: a whole number of at least 1. */
  readonly cost: number;
}

/**
 * Makes the requests of a route, or of all routes of a controller, count as several. A plan that allows fewer in a window
 * allows one such request in it.
 *
 * @throws RangeError when the cost is no whole number of at least 1
 * @example
 * ```ts
 * @RateLimit({ cost: 5 })
 * @Get('report')
 * report() {}
 * ```
 */
export function RateLimit({ cost }: RateLimitOptions): ClassDecorator & MethodDecorator {
  if (!Number.isSafeInteger(cost) || cost < 1) {
    throw new RangeError(`The cost of a request must be a whole number of at least 1, not ${cost}.`);
  }
  return SetMetadata(ROUTE_COST, cost);
}
