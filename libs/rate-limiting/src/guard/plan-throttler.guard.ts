import type { IncomingMessage } from 'node:http';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard, type ThrottlerStorage } from '@nestjs/throttler';
import { type AnyResponse, oncePer, perRoute, setHeader } from '@animal-store/kernel/http';
import type { RateLimitDecision } from '../stores/plan-window.js';
import { REFUSALS } from '../rate-limit.errors.js';
import { RateLimitStore, type RateSubject } from '../rate-limit.store.js';
import { RATE_LIMITING_OPTIONS, type RateLimitingOptions } from '../rate-limiting.options.js';
import { assertPlan, isUnlimited, type RatePlan, type RateWindow } from '../rate-plan.js';
import { countedCall, type CallKind, refusalIn } from './counted-call.js';
import {
  assertCost,
  ROUTE_APART,
  ROUTE_BUDGET,
  ROUTE_COST,
  type RouteApart,
  type RouteCost,
} from './rate-limit.decorator.js';
import { setRateLimitHeaders } from './rate-limit-headers.js';

type Target = Parameters<Reflector['getAllAndOverride']>[1][number];

/** How the requests of a route count. */
interface RouteLimit {
  readonly cost: RouteCost;
  readonly apart: Apart | null;
  /** The plan with the windows of the budget of the route; null when it has none. */
  readonly withBudget: ((plan: RatePlan) => RatePlan) | null;
}

interface Apart {
  readonly name: string;
  readonly plan: RatePlan;
}

/** The metadata key of `@SkipThrottle()`. */
export const SKIPPED = 'THROTTLER:SKIPdefault';

const USUAL: RouteLimit = { cost: 1, apart: null, withBudget: null };

/** ThrottlerGuard calls its storage once per window. This guard calls a RateLimitStore once for all windows. */
const NO_STORAGE: ThrottlerStorage = {
  increment: () => Promise.reject(new Error('PlanThrottlerGuard counts in its RateLimitStore.')),
};

/**
 * A ThrottlerGuard whose limits come from the plan of the caller, and from the budget of the route if it has one: all
 * windows in one step, and the same headers on every response. `@SkipThrottle()` on a route or a controller works as usual.
 * It counts HTTP requests, the root fields of GraphQL operations and the messages of WebSocket gateways that it guards. It
 * passes by messages of microservices, whose sender nobody knows.
 *
 * Sets `RATE_LIMIT_HEADERS` on every response. A refusal also has `Retry-After` (RFC 9110 section 10.2.3, whole seconds).
 *
 * @throws RateLimitExceeded 429 with `rate_limit_exceeded`, `daily_quota_exceeded` or `api_key_banned`; for GraphQL with
 *   `extensions` as well, in a gateway as a `WsException`
 * @example
 * ```ts
 * providers: [{ provide: APP_GUARD, useExisting: PlanThrottlerGuard }]
 * ```
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  private readonly now: () => number;
  private readonly limitOf = perRoute((controller: Target, handler: Target): RouteLimit | 'skipped' => {
    const targets = [handler, controller];
    if (this.reflector.getAllAndOverride<boolean>(SKIPPED, targets)) return 'skipped';
    const cost = this.reflector.getAllAndOverride<RouteCost>(ROUTE_COST, targets) ?? 1;
    const own = this.reflector.getAllAndOverride<RouteApart>(ROUTE_APART, targets) ?? null;
    const budget = this.reflector.getAllAndOverride<readonly RateWindow[]>(ROUTE_BUDGET, targets);
    return {
      cost,
      apart: own && { name: own.name, plan: { perMinute: own.perMinute, perDay: null } },
      withBudget:
        budget === undefined
          ? null
          : oncePer((plan: RatePlan) => ({ ...plan, windows: [...(plan.windows ?? []), ...budget] })),
    };
  });

  constructor(
    @Inject(RATE_LIMITING_OPTIONS) private readonly settings: RateLimitingOptions,
    // Each is named, as @Inject() is inherited: the second parameter of ThrottlerGuard is its storage.
    @Inject(RateLimitStore) private readonly store: RateLimitStore,
    @Inject(Reflector) reflector: Reflector,
  ) {
    super([], NO_STORAGE, reflector);
    this.now = settings.now ?? Date.now;
  }

  /** ThrottlerGuard prepares the throttlers of its module here. There are none. */
  override async onModuleInit(): Promise<void> {}

  // Returns a promise only when the store does: each promise of a guard is three of Nest's.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the return type that ThrottlerGuard declares, without its promise
  override canActivate(context: ExecutionContext): any {
    const kind = context.getType<CallKind>();
    if (kind !== 'http' && ((kind !== 'graphql' && kind !== 'ws') || hasCounted(context))) return true;
    const limit = this.limitOf(context);
    if (limit === 'skipped' || this.settings.skipIf?.(context)) return true;
    const { request, response } = countedCall(context, kind);
    const { cost } = limit;
    return this.begin(request, response, typeof cost === 'number' ? cost : cost(request), limit, kind);
  }

  /**
   * Counts one request and sets the headers of its response. Use it for responses without guards, such as for a path
   * that cannot be decoded. All other requests are counted in `canActivate`.
   *
   * @param cost how many requests it counts as; 0 counts none, and always admits
   * @throws RateLimitExceeded when the request is refused; it rejects when the store returns a promise
   * @throws RangeError when the cost is no whole number of at least 0, or the plan is wrong
   */
  admit(request: IncomingMessage, response: AnyResponse, cost = 1): true | Promise<true> {
    return this.begin(request, response, cost, USUAL, 'http');
  }

  private begin(
    request: IncomingMessage,
    response: AnyResponse | null,
    cost: number,
    limit: RouteLimit,
    kind: CallKind,
  ): true | Promise<true> {
    if (cost !== 1) assertCost(cost, 0);
    const subject = this.settings.subjectOf(request);
    if (subject instanceof Promise)
      return subject.then((late) => this.count(late, request, response, cost, limit, kind));
    return this.count(subject, request, response, cost, limit, kind);
  }

  private count(
    caller: RateSubject,
    request: IncomingMessage,
    response: AnyResponse | null,
    cost: number,
    limit: RouteLimit,
    kind: CallKind,
  ): true | Promise<true> {
    const { settings, store } = this;
    const subject = subjectOn(limit, caller, checked(caller.plan));
    if (subject === null) return true;
    if (cost === 0 || settings.isUncounted?.(request)) {
      if (response !== null) setRateLimitHeaders(response, store.peek(subject, this.now()));
      return true;
    }
    const decision = store.consume(subject, this.now(), cost === 1 ? 1 : affordable(cost, subject.plan));
    if (decision instanceof Promise)
      return decision.then((late) => this.apply(late, subject, request, response, kind));
    return this.apply(decision, subject, request, response, kind);
  }

  private apply(
    decision: RateLimitDecision,
    subject: RateSubject,
    request: IncomingMessage,
    response: AnyResponse | null,
    kind: CallKind,
  ): true {
    this.settings.onDecision?.(decision, request, subject);
    if (response !== null) setRateLimitHeaders(response, decision);
    if (decision.allowed) return true;
    if (response !== null) setHeader(response, 'Retry-After', `${decision.retryAfterSeconds}`);
    const refusal = new REFUSALS[decision.code!](decision, this.settings.errorMessage?.(decision));
    throw kind === 'http' ? refusal : refusalIn(kind, refusal, decision);
  }
}

const COUNTED = new WeakSet<ExecutionContext>();

/** Whether a message was here: Nest 12 calls a global guard for a gateway, too, which may have one of its own. */
function hasCounted(context: ExecutionContext): boolean {
  const isKnown = COUNTED.has(context);
  COUNTED.add(context);
  return isKnown;
}

/** Each plan is checked once. Whether it limits anything. */
const checked = oncePer((plan: RatePlan) => {
  assertPlan(plan);
  return !isUnlimited(plan);
});

/** What a request on a route counts against; null when nothing limits it. */
function subjectOn(
  { apart, withBudget }: RouteLimit,
  caller: RateSubject,
  isLimited: boolean,
): RateSubject | null {
  if (apart !== null && !caller.isAddress) return { id: `${apart.name} ${caller.id}`, plan: apart.plan };
  if (withBudget === null) return isLimited ? caller : null;
  const { id, isAddress, plan } = caller;
  return { id, isAddress, plan: withBudget(plan) };
}

/** At most a whole window, as more could never be allowed. */
function affordable(cost: number, { perMinute, perDay, windows = [] }: RatePlan): number {
  return Math.min(cost, perMinute ?? Infinity, perDay ?? Infinity, ...windows.map(({ limit }) => limit));
}
