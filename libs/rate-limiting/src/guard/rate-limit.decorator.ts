import type { IncomingMessage } from 'node:http';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { assertName, assertPlan, type RateWindow } from '../rate-plan.js';

/** The metadata keys of `@RateLimit`. */
export const ROUTE_COST = 'rate-limiting:cost';
const ROUTE_BUDGET = 'rate-limiting:budget';

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
  readonly cost?: RouteCost<Request>;
  /**
   * The name of a budget beside the plan: a request must fit into the windows of both, and is counted in both. All
   * routes that name it share it, for each subject. It has `windows`.
   */
  readonly budget?: string;
  /** The windows of the budget, or those in place of the plan's: `[perMinute(10), perDay(100)]`. */
  readonly windows?: readonly RateWindow[];
  /**
   * Counts in the budget alone, which bans alone: the requests use up nothing of the plan. Requests of an address count
   * as all others, as a client can have any number of addresses.
   */
  readonly separate?: boolean;
}

/** The budget of a route. */
export interface RouteBudget {
  readonly name: string;
  readonly windows: readonly RateWindow[];
  readonly isSeparate: boolean;
}

/**
 * Makes the requests of a route, or of all routes of a controller, count as several, or in a budget of their own too. A
 * plan that allows fewer in a window allows one such request in it.
 *
 * @throws RangeError when the cost is no whole number of at least 1, or a window or the name of a budget is wrong. A
 *   request whose computed cost is no whole number of at least 0 ends with a RangeError, uncounted: make sure that no
 *   input leads to one.
 */
export function RateLimit<Request = RoutedRequest>({
  cost = 1,
  budget,
  windows = [],
  separate = false,
}: RateLimitOptions<Request>): ClassDecorator & MethodDecorator {
  if (typeof cost === 'number') assertCost(cost, 1);
  if ((budget === undefined) !== (windows.length === 0))
    throw new RangeError('A budget needs a name and windows: @RateLimit({ budget, windows }).');
  if (budget !== undefined) assertName(budget);
  assertPlan(windows);
  const own: RouteBudget | undefined =
    budget === undefined
      ? undefined
      : {
          name: budget,
          windows: windows.map((window) => ({ ...window, budget })),
          isSeparate: separate,
        };
  return applyDecorators(SetMetadata(ROUTE_COST, cost), SetMetadata(ROUTE_BUDGET, own));
}

/** The budget that a route or its controller names. */
export function budgetOf(
  reflector: Reflector,
  targets: Parameters<Reflector['getAllAndOverride']>[1],
): RouteBudget | null {
  return reflector.getAllAndOverride<RouteBudget | undefined>(ROUTE_BUDGET, targets) ?? null;
}

/** @throws RangeError */
export function assertCost(cost: number, min: 0 | 1): void {
  if (Number.isSafeInteger(cost) && cost >= min) return;
  throw new RangeError(`The cost of a request must be a whole number of at least ${min}, not ${cost}.`);
}
