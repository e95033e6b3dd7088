import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard, type ThrottlerStorage } from '@nestjs/throttler';
import type { RateLimitDecision } from './rate-limit-decision.js';
import { refusalOf } from './rate-limit.errors.js';
import { limitField, policyField } from './rate-limit-headers.js';
import { RateLimitStore } from './rate-limit.store.js';
import { RATE_LIMITING_OPTIONS, type RateLimitingOptions } from './rate-limiting.options.js';
import type { RatePlan } from './rate-plan.js';
import { RouteCosts } from './route-costs.js';

/** Of Node or Express, or the reply of Fastify. */
type HttpResponse = ServerResponse | { header(name: string, value: string): unknown };

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

  constructor(
    @Inject(RATE_LIMITING_OPTIONS) private readonly settings: RateLimitingOptions,
    // Each is named, as @Inject() is inherited: the second parameter of ThrottlerGuard is its storage.
    @Inject(RateLimitStore) private readonly store: RateLimitStore,
    @Inject(RouteCosts) private readonly costs: RouteCosts,
    @Inject(Reflector) reflector: Reflector,
  ) {
    super([], NO_STORAGE, reflector);
    this.now = settings.now ?? Date.now;
  }

  /** ThrottlerGuard prepares the throttlers of its module here. There are none. */
  override async onModuleInit(): Promise<void> {}

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const cost = this.costs.of(context);
    if (cost === 0 || this.settings.skipIf?.(context)) return true;
    return this.admit(
      context.getArgByIndex<IncomingMessage>(0),
      context.getArgByIndex<HttpResponse>(1),
      cost,
    );
  }

  /**
   * Counts one request and sets the headers of its response. Use it for responses without guards, such as for a path
   * that cannot be decoded. All other requests are counted in `canActivate`.
   *
   * @throws RateLimitExceeded when the request is refused; it rejects when the store returns a promise
   */
  admit(request: IncomingMessage, response: HttpResponse, cost = 1): true | Promise<true> {
    const { settings, store } = this;
    const subject = settings.subjectOf(request);
    if (settings.isUncounted?.(request)) return this.describe(store.peek(subject, this.now()), response);
    const decision = store.consume(subject, this.now(), cost === 1 ? 1 : affordable(cost, subject.plan));
    if (decision instanceof Promise) return decision.then((late) => this.apply(late, request, response));
    return this.apply(decision, request, response);
  }

  private apply(decision: RateLimitDecision, request: IncomingMessage, response: HttpResponse): true {
    this.settings.onDecision?.(decision, request);
    this.describe(decision, response);
    if (decision.allowed) return true;
    this.setResponseHeader(response, 'Retry-After', `${decision.retryAfterSeconds}`);
    throw refusalOf(decision, this.settings.errorMessage?.(decision));
  }

  private describe(decision: RateLimitDecision, response: HttpResponse): true {
    this.setResponseHeader(response, 'X-RateLimit-Limit', `${decision.limit}`);
    this.setResponseHeader(response, 'X-RateLimit-Remaining', `${decision.remaining}`);
    this.setResponseHeader(response, 'X-RateLimit-Reset', `${decision.resetAtSeconds}`);
    this.setResponseHeader(response, 'RateLimit-Policy', policyField(decision.plan));
    this.setResponseHeader(response, 'RateLimit', limitField(decision));
    return true;
  }

  /** Express has `header`, too, but its `setHeader` is that of Node and costs a fraction. */
  protected override setResponseHeader(response: HttpResponse, name: string, value: string): void {
    if ('setHeader' in response) response.setHeader(name, value);
    else response.header(name, value);
  }
}

/** At most a whole window, as more could never be allowed. */
function affordable(cost: number, { perMinute, perDay }: RatePlan): number {
  return Math.min(cost, perMinute, perDay ?? Infinity);
}
