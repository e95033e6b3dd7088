import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard, type ThrottlerStorage } from '@nestjs/throttler';
import type { RateLimitDecision } from './rate-limit-decision.js';
import { RateLimitExceeded } from './rate-limit-exceeded.js';
import { limitField, policyField } from './rate-limit-headers.js';
import { RATE_LIMITING_OPTIONS, type RateLimitingOptions } from './rate-limiting.options.js';

type Controller = ReturnType<ExecutionContext['getClass']>;
type Handler = ReturnType<ExecutionContext['getHandler']>;

/** The metadata key of `@SkipThrottle()`: THROTTLER_SKIP and the name of the default throttler. */
const SKIP_THROTTLE = 'THROTTLER:SKIPdefault';

/** ThrottlerGuard calls its storage once per window. This guard calls a RateLimitStore once for both windows. */
const NO_STORAGE: ThrottlerStorage = {
  increment: () => Promise.reject(new Error('PlanThrottlerGuard counts in its RateLimitStore.')),
};

/**
 * A ThrottlerGuard whose limits come from the plan of the caller instead of the route: both windows in one step, the
 * same headers on every response, and no promise when the store needs none. `@SkipThrottle()` on a route or a
 * controller works as usual; `@Throttle()` has no effect, as there are no limits per route.
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
  private readonly skipped = new Map<Controller, Map<Handler, boolean>>();

  constructor(
    @Inject(RATE_LIMITING_OPTIONS) private readonly settings: RateLimitingOptions,
    // Named explicitly, as @Inject() is inherited: the second parameter of ThrottlerGuard is its storage.
    @Inject(Reflector) reflector: Reflector,
  ) {
    super([], NO_STORAGE, reflector);
  }

  /** The throttlers that ThrottlerGuard prepares here are not used. */
  override async onModuleInit(): Promise<void> {}

  /**
   * Returns `true` and no promise when the store decides synchronously. Nest accepts a boolean, but the type of
   * ThrottlerGuard does not.
   */
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const admitted =
      this.skips(context) ||
      this.admit(context.getArgByIndex<IncomingMessage>(0), context.getArgByIndex<ServerResponse>(1));
    return admitted as Promise<boolean>;
  }

  /**
   * Counts one request and sets the headers of its response. Use it for responses without guards, such as for a path
   * that cannot be decoded. All other requests are counted in `canActivate`.
   *
   * @throws RateLimitExceeded when the request is refused; it rejects when the store returns a promise
   */
  admit(request: IncomingMessage, response: ServerResponse): true | Promise<true> {
    const { store, subjectOf, isUncounted, now } = this.settings;
    if (isUncounted?.(request)) return this.describe(store.peek(subjectOf(request), now()), response);
    const decision = store.consume(subjectOf(request), now());
    if (decision instanceof Promise) return decision.then((late) => this.apply(late, request, response));
    return this.apply(decision, request, response);
  }

  private apply(decision: RateLimitDecision, request: IncomingMessage, response: ServerResponse): true {
    this.settings.onDecision?.(decision, request);
    this.describe(decision, response);
    if (decision.allowed) return true;
    this.setResponseHeader(response, 'Retry-After', `${decision.retryAfterSeconds}`);
    throw new RateLimitExceeded(decision);
  }

  private describe(decision: RateLimitDecision, response: ServerResponse): true {
    this.setResponseHeader(response, 'X-RateLimit-Limit', `${decision.limit}`);
    this.setResponseHeader(response, 'X-RateLimit-Remaining', `${decision.remaining}`);
    this.setResponseHeader(response, 'X-RateLimit-Reset', `${decision.resetAtSeconds}`);
    this.setResponseHeader(response, 'RateLimit-Policy', policyField(decision.plan));
    this.setResponseHeader(response, 'RateLimit', limitField(decision));
    return true;
  }

  /** Not Express's `response.header`, which costs several times as much. */
  protected override setResponseHeader(response: ServerResponse, name: string, value: string): void {
    response.setHeader(name, value);
  }

  private skips(context: ExecutionContext): boolean {
    return this.skipped.get(context.getClass())?.get(context.getHandler()) ?? this.readSkip(context);
  }

  /** By controller first, as two controllers may inherit one handler and only one of them may be skipped. */
  private readSkip(context: ExecutionContext): boolean {
    const controller = context.getClass();
    const handler = context.getHandler();
    const skips = this.reflector.getAllAndOverride<boolean>(SKIP_THROTTLE, [handler, controller]) ?? false;
    const ofController = this.skipped.get(controller) ?? new Map<Handler, boolean>();
    this.skipped.set(controller, ofController.set(handler, skips));
    return skips;
  }
}
