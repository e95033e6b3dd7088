import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { HttpRequest, HttpResponse } from './http.js';
import type { RateLimitDecision } from './rate-limit-decision.js';
import { RateLimitExceeded } from './rate-limit-exceeded.js';
import { limitField, policyField } from './rate-limit-headers.js';
import { RateLimitStore } from './rate-limit.store.js';
import { RATE_LIMITING_OPTIONS, type RateLimitingOptions } from './rate-limiting.options.js';
import type { RatePlan } from './rate-plan.js';
import { RouteCosts } from './route-costs.js';

/**
 * Limits requests by the plan of the caller: both windows in one step, the same headers on every response, and no promise
 * when the store needs none. `@SkipThrottle()` on a route or a controller works as with @nestjs/throttler;
 * `@RateLimit({ cost })` makes a route cost more. It passes by everything but HTTP: messages and GraphQL.
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
export class PlanThrottlerGuard implements CanActivate {
  private readonly now: () => number;

  constructor(
    @Inject(RATE_LIMITING_OPTIONS) private readonly settings: RateLimitingOptions,
    private readonly store: RateLimitStore,
    private readonly costs: RouteCosts,
  ) {
    this.now = settings.now ?? Date.now;
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const cost = this.costs.of(context);
    if (cost === 0 || this.settings.skipIf?.(context)) return true;
    return this.admit(context.getArgByIndex<HttpRequest>(0), context.getArgByIndex<HttpResponse>(1), cost);
  }

  /**
   * Counts one request and sets the headers of its response. Use it for responses without guards, such as for a path
   * that cannot be decoded. All other requests are counted in `canActivate`.
   *
   * @throws RateLimitExceeded when the request is refused; it rejects when the store returns a promise
   */
  admit(request: HttpRequest, response: HttpResponse, cost = 1): true | Promise<true> {
    const { settings, store } = this;
    const subject = settings.subjectOf(request);
    if (settings.isUncounted?.(request)) return describe(store.peek(subject, this.now()), response);
    const decision = store.consume(subject, this.now(), cost === 1 ? 1 : affordable(cost, subject.plan));
    if (decision instanceof Promise) return decision.then((late) => this.apply(late, request, response));
    return this.apply(decision, request, response);
  }

  private apply(decision: RateLimitDecision, request: HttpRequest, response: HttpResponse): true {
    this.settings.onDecision?.(decision, request);
    describe(decision, response);
    if (decision.allowed) return true;
    setHeader(response, 'Retry-After', `${decision.retryAfterSeconds}`);
    throw new RateLimitExceeded(decision, this.settings.errorMessage?.(decision));
  }
}

/** At most a whole window, as more could never be allowed. */
function affordable(cost: number, { perMinute, perDay }: RatePlan): number {
  return Math.min(cost, perMinute, perDay ?? Infinity);
}

function describe(decision: RateLimitDecision, response: HttpResponse): true {
  setHeader(response, 'X-RateLimit-Limit', `${decision.limit}`);
  setHeader(response, 'X-RateLimit-Remaining', `${decision.remaining}`);
  setHeader(response, 'X-RateLimit-Reset', `${decision.resetAtSeconds}`);
  setHeader(response, 'RateLimit-Policy', policyField(decision.plan));
  setHeader(response, 'RateLimit', limitField(decision));
  return true;
}

/** Express has `header`, too, but its `setHeader` is that of Node and costs a fraction. */
function setHeader(response: HttpResponse, name: string, value: string): void {
  if ('setHeader' in response) response.setHeader(name, value);
  else response.header(name, value);
}
