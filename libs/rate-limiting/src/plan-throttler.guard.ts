import type { IncomingMessage } from 'node:http';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard, type ThrottlerStorage } from '@nestjs/throttler';
import { type AnyResponse, oncePer, perRoute, setHeader } from '@animal-store/kernel/http';
import type { RateLimitDecision } from './stores/plan-window.js';
import {
  assertCost,
  ROUTE_APART,
  ROUTE_COST,
  type RouteApart,
  type RouteCost,
  type RoutedRequest,
} from './rate-limit.decorator.js';
import { REFUSALS } from './rate-limit.errors.js';
import { RateLimitStore, type RateSubject } from './rate-limit.store.js';
import { RATE_LIMITING_OPTIONS, type RateLimitingOptions } from './rate-limiting.options.js';
import { assertPlan, type RatePlan } from './rate-plan.js';

type Target = Parameters<Reflector['getAllAndOverride']>[1][number];

/** How the requests of a route count. */
interface RouteLimit {
  readonly cost: RouteCost;
  readonly apart: Apart | null;
}

interface Apart {
  readonly name: string;
  readonly plan: RatePlan;
}

/** The metadata key of `@SkipThrottle()`. */
export const SKIPPED = 'THROTTLER:SKIPdefault';

/** The rate limit headers, which are on every response that was counted. */
export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const;

/** ThrottlerGuard calls its storage once per window. This guard calls a RateLimitStore once for both windows. */
const NO_STORAGE: ThrottlerStorage = {
  increment: () => Promise.reject(new Error('PlanThrottlerGuard counts in its RateLimitStore.')),
};

/**
 * A ThrottlerGuard whose limits come from the plan of the caller instead of the route: both windows in one step, and the
 * same headers on every response. `@SkipThrottle()` on a route or a controller works as usual; `@RateLimit({ cost })`
 * makes a route cost more. It passes by everything but HTTP: messages and GraphQL.
 *
 * Sets on every response `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset` (Unix time in seconds) of
 * the binding window, and `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10) with all
 * windows. A refusal also has `Retry-After` (RFC 9110 section 10.2.3, whole seconds).
 *
 * @throws RateLimitExceeded 429 with `rate_limit_exceeded`, `daily_quota_exceeded` or `api_key_banned`
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
    return { cost, apart: own && { name: own.name, plan: { perMinute: own.perMinute, perDay: null } } };
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
    if (context.getType() !== 'http') return true;
    const limit = this.limitOf(context);
    if (limit === 'skipped' || this.settings.skipIf?.(context)) return true;
    const request = context.getArgByIndex<RoutedRequest>(0);
    const response = context.getArgByIndex<AnyResponse>(1);
    const { cost, apart } = limit;
    return this.admit(request, response, typeof cost === 'number' ? cost : cost(request), apart);
  }

  /**
   * Counts one request and sets the headers of its response. Use it for responses without guards, such as for a path
   * that cannot be decoded. All other requests are counted in `canActivate`.
   *
   * @param cost how many requests it counts as; 0 counts none, and always admits
   * @throws RateLimitExceeded when the request is refused; it rejects when the store returns a promise
   * @throws RangeError when the cost is no whole number of at least 0, or a limit of the plan none of at least 1
   */
  admit(
    request: IncomingMessage,
    response: AnyResponse,
    cost = 1,
    apart: Apart | null = null,
  ): true | Promise<true> {
    if (cost !== 1) assertCost(cost, 0);
    const subject = this.settings.subjectOf(request);
    if (subject instanceof Promise)
      return subject.then((late) => this.count(late, request, response, cost, apart));
    return this.count(subject, request, response, cost, apart);
  }

  private count(
    caller: RateSubject,
    request: IncomingMessage,
    response: AnyResponse,
    cost: number,
    apart: Apart | null,
  ): true | Promise<true> {
    const { settings, store } = this;
    let subject = caller;
    checked(subject.plan);
    if (apart !== null && !subject.isAddress)
      subject = { id: `${apart.name} ${subject.id}`, plan: apart.plan };
    if (cost === 0 || settings.isUncounted?.(request))
      return this.describe(store.peek(subject, this.now()), response);
    const decision = store.consume(subject, this.now(), cost === 1 ? 1 : affordable(cost, subject.plan));
    if (decision instanceof Promise)
      return decision.then((late) => this.apply(late, subject, request, response));
    return this.apply(decision, subject, request, response);
  }

  private apply(
    decision: RateLimitDecision,
    subject: RateSubject,
    request: IncomingMessage,
    response: AnyResponse,
  ): true {
    this.settings.onDecision?.(decision, request, subject);
    this.describe(decision, response);
    if (decision.allowed) return true;
    this.setResponseHeader(response, 'Retry-After', `${decision.retryAfterSeconds}`);
    throw new REFUSALS[decision.code!](decision, this.settings.errorMessage?.(decision));
  }

  private describe(decision: RateLimitDecision, response: AnyResponse): true {
    this.setResponseHeader(response, 'X-RateLimit-Limit', `${decision.limit}`);
    this.setResponseHeader(response, 'X-RateLimit-Remaining', `${decision.remaining}`);
    this.setResponseHeader(response, 'X-RateLimit-Reset', `${decision.resetAtSeconds}`);
    this.setResponseHeader(response, 'RateLimit-Policy', policyField(decision.plan));
    this.setResponseHeader(response, 'RateLimit', limitField(decision));
    return true;
  }

  protected override setResponseHeader(response: AnyResponse, name: string, value: string): void {
    setHeader(response, name, value);
  }
}

/** Each plan is checked once. */
const checked = oncePer((plan: RatePlan) => {
  assertPlan(plan);
  return true;
});

/** At most a whole window, as more could never be allowed. */
function affordable(cost: number, { perMinute, perDay }: RatePlan): number {
  return Math.min(cost, perMinute, perDay ?? Infinity);
}

/** `"minute";q=60;w=60, "day";q=1000;w=86400`: draft-ietf-httpapi-ratelimit-headers-10 section 3. */
const policyField = oncePer(({ perMinute, perDay }: RatePlan) => {
  const minute = `"minute";q=${perMinute};w=60`;
  return perDay === null ? minute : `${minute}, "day";q=${perDay};w=86400`;
});

/** `"minute";r=59;t=42, "day";r=998;t=3600`: draft-ietf-httpapi-ratelimit-headers-10 section 4. */
function limitField(decision: RateLimitDecision): string {
  const minute = `"minute";r=${decision.minuteRemaining};t=${decision.minuteResetSeconds}`;
  if (decision.dayRemaining === null) return minute;
  return `${minute}, "day";r=${decision.dayRemaining};t=${decision.dayResetSeconds}`;
}
