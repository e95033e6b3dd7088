import type { IncomingMessage } from 'node:http';
import { type ExecutionContext, Inject, Injectable, Logger } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SkipThrottle, ThrottlerGuard, type ThrottlerLimitDetail, throttlerMessage } from '@nestjs/throttler';
import { type AnyResponse, oncePer, perRoute, setHeader } from '@animal-store/kernel/http';
import type { RateLimitDecision } from '../rate-limit-decision.js';
import { RateLimitExceeded, REFUSALS } from '../rate-limit.errors.js';
import { RateLimitStore } from '../rate-limit.store.js';
import type { RateSubject } from '../rate-subject.js';
import { RATE_LIMITING_OPTIONS, type RateLimitingOptions } from '../rate-limiting.options.js';
import { assertPlan, counted, type RatePlan } from '../rate-plan.js';
import {
  assertCost,
  budgetOf,
  ROUTE_COST,
  type RouteBudget,
  type RouteCost,
  type RoutedRequest,
} from './rate-limit.decorator.js';
import { setRateLimitHeaders } from './rate-limit-headers.js';

type Target = Parameters<Reflector['getAllAndOverride']>[1][number];

/** How the requests of a route count. */
interface RouteLimit {
  readonly cost: RouteCost;
  readonly budget: RouteBudget | null;
  /** The plan with the windows of the budget. */
  readonly withBudget: (plan: RatePlan) => RatePlan;
}

@SkipThrottle()
class Skipped {}

/** The metadata key of `@SkipThrottle()`. */
export const SKIPPED = String(Reflect.getMetadataKeys(Skipped)[0]);

const USUAL: RouteLimit = { cost: 1, budget: null, withBudget: (plan) => plan };

/** What a subclass may replace of ThrottlerGuard. */
const HOOKS = [
  'getRequestResponse',
  'getTracker',
  'shouldSkip',
  'getErrorMessage',
  'throwThrottlingException',
] as const;

/** How the names of its headers begin. */
const HEADER_PREFIX = 'X-RateLimit';

/** What it does otherwise: all windows are counted in one step, and described in one set of headers. */
const NEVER_CALLED = ['handleRequest', 'generateKey', 'setResponseHeader'] as const;

/**
 * A ThrottlerGuard whose limits come from the plan of the caller, and from the budget of the route if it has one: all
 * windows in one step, and the same headers on every response. `@SkipThrottle()` on a route or a controller works as
 * usual, and so do the hooks of a subclass: `getRequestResponse`, `getTracker`, `shouldSkip`, `getErrorMessage` or
 * `errorMessage`, and `throwThrottlingException`. A subclass whose `getRequestResponse` finds the request counts
 * GraphQL and messages.
 *
 * Sets `RATE_LIMIT_HEADERS` on every response. A refusal also has `Retry-After` (RFC 9110 section 10.2.3, whole
 * seconds).
 *
 * @throws RateLimitExceeded 429 with `rate_limit_exceeded`, `daily_quota_exceeded` or `api_key_banned`
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  private readonly now: () => number;
  private readonly hooks: Set<string>;
  /** The kinds of requests that it does not count and has warned of. */
  private readonly passed = new Set<string>();
  /** What a hook may leave to this class. */
  private readonly refusals = new WeakMap<ExecutionContext, RateLimitExceeded>();
  private readonly limitOf = perRoute((controller: Target, handler: Target): RouteLimit | 'skipped' => {
    const targets = [handler, controller];
    if (this.reflector.getAllAndOverride<boolean>(SKIPPED, targets)) return 'skipped';
    const cost = this.reflector.getAllAndOverride<RouteCost>(ROUTE_COST, targets) ?? 1;
    const budget = budgetOf(this.reflector, targets);
    const withBudget = oncePer((plan: RatePlan): RatePlan => [...plan, ...(budget?.windows ?? [])]);
    return { cost, budget, withBudget };
  });

  constructor(
    @Inject(RATE_LIMITING_OPTIONS) private readonly settings: RateLimitingOptions,
    // Each is named, as @Inject() is inherited: the second parameter of ThrottlerGuard is its storage.
    @Inject(RateLimitStore) private readonly store: RateLimitStore,
    @Inject(Reflector) reflector: Reflector,
  ) {
    super([], store, reflector);
    this.now = settings.now ?? Date.now;
    const isOwn = (hook: (typeof HOOKS | typeof NEVER_CALLED)[number]) =>
      this[hook] !== PlanThrottlerGuard.prototype[hook];
    this.hooks = new Set(HOOKS.filter(isOwn));
    const unheard = NEVER_CALLED.find(isOwn);
    if (unheard)
      throw new Error(
        `${this.constructor.name}.${unheard}() is never called: override one of ${HOOKS.join(', ')}.`,
      );
  }

  /**
   * ThrottlerGuard prepares the throttlers of its module here, and warns when there are none. By now a subclass has set
   * its properties.
   *
   * @throws Error for a `headerPrefix` of its own: clients know the names of the headers
   */
  override async onModuleInit(): Promise<void> {
    if (this.errorMessage !== throttlerMessage) this.hooks.add('getErrorMessage');
    if (this.headerPrefix !== HEADER_PREFIX)
      throw new Error(
        `${this.constructor.name}.headerPrefix is never read: headers begin with ${HEADER_PREFIX}.`,
      );
  }

  // Returns a promise only when the store does: each promise of a guard is three of Nest's.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a part of the type that ThrottlerGuard declares
  override canActivate(context: ExecutionContext): any {
    if (context.getType() !== 'http' && !this.hooks.has('getRequestResponse'))
      return this.passBy(context.getType());
    const limit = this.limitOf(context);
    if (limit === 'skipped' || this.settings.skipIf?.(context)) return true;
    if (this.hooks.size > 0) return this.countByHooks(context, limit);
    return this.count(context.getArgByIndex<RoutedRequest>(0), context.getArgByIndex<AnyResponse>(1), limit);
  }

  /**
   * Counts one request and sets the headers of its response. Use it for responses without guards, such as for a path
   * that cannot be decoded. All other requests are counted in `canActivate`.
   *
   * @throws RateLimitExceeded when the request is refused; it rejects when the store returns a promise
   * @throws RangeError when the plan is wrong
   */
  admit(request: IncomingMessage, response: AnyResponse): true | Promise<true> {
    return this.count(request, response, USUAL);
  }

  private passBy(kind: string): true {
    if (!this.passed.has(kind))
      new Logger('RateLimiting').warn(
        `What comes by ${kind} is not counted. Use a subclass of PlanThrottlerGuard with getRequestResponse().`,
      );
    this.passed.add(kind);
    return true;
  }

  private count(
    request: IncomingMessage,
    response: AnyResponse | null,
    limit: RouteLimit,
  ): true | Promise<true> {
    const caller = this.settings.subjectOf(request);
    if (caller instanceof Promise) return caller.then((late) => this.decide(late, request, response, limit));
    return this.decide(caller, request, response, limit);
  }

  private decide(
    caller: RateSubject,
    request: IncomingMessage,
    response: AnyResponse | null,
    limit: RouteLimit,
  ): true | Promise<true> {
    const { store } = this;
    const cost = typeof limit.cost === 'number' ? limit.cost : limit.cost(request as RoutedRequest);
    if (cost !== 1) assertCost(cost, 0);
    const isLimited = checked(caller.plan);
    const subject = limit.budget === null ? caller : withinBudget(limit.budget, limit, caller);
    if (subject === caller && !isLimited) return true;
    if (cost === 0 || caller.isUncounted) {
      if (response !== null) setRateLimitHeaders(response, store.peek(subject, this.now()));
      return true;
    }
    const decision = store.consume(subject, this.now(), cost === 1 ? 1 : affordable(cost, subject.plan));
    if (decision instanceof Promise) return decision.then((late) => this.apply(late, subject, response));
    return this.apply(decision, subject, response);
  }

  private apply(decision: RateLimitDecision, subject: RateSubject, response: AnyResponse | null): true {
    const { onDecision, onBan } = this.settings;
    onDecision?.(decision.code ?? 'allowed', subject.label ?? '');
    if (decision.ban?.began) onBan?.(decision.ban, subject);
    if (response !== null) setRateLimitHeaders(response, decision);
    if (decision.code === null) return true;
    if (response !== null) setHeader(response, 'Retry-After', `${decision.retryAfterSeconds}`);
    throw new REFUSALS[decision.code](decision);
  }

  private async countByHooks(context: ExecutionContext, limit: RouteLimit): Promise<true> {
    if (await this.shouldSkip(context)) return true;
    const { req, res } = this.getRequestResponse(context);
    const request = req as RoutedRequest;
    let caller = await this.settings.subjectOf(request);
    if (this.hooks.has('getTracker')) {
      const { plan, isAddress, isUncounted, label } = caller;
      caller = { id: await this.getTracker(request), plan, isAddress, isUncounted, label };
    }
    try {
      return await this.decide(caller, request, (res as AnyResponse | undefined) ?? null, limit);
    } catch (error) {
      if (!(error instanceof RateLimitExceeded)) throw error;
      this.refusals.set(context, error);
      await this.throwThrottlingException(context, detailOf(error.decision, caller.id));
      return true;
    }
  }

  protected override async throwThrottlingException(
    context: ExecutionContext,
    detail: ThrottlerLimitDetail,
  ): Promise<void> {
    const { code, decision } = this.refusals.get(context)!;
    throw new REFUSALS[code](decision, await this.getErrorMessage(context, detail));
  }

  protected override async getErrorMessage(
    context: ExecutionContext,
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- a subclass gets it
    _detail: ThrottlerLimitDetail,
  ): Promise<string> {
    return this.errorMessage === throttlerMessage ? this.refusals.get(context)!.message : this.errorMessage;
  }
}

/** Whether a plan limits anything. Each plan is checked once. */
const checked = oncePer((plan: RatePlan) => {
  assertPlan(plan);
  return plan.length > 0;
});

/** What a request on a route with a budget counts against: the windows of both, or of the budget alone. */
function withinBudget(
  { name, isSeparate, windows }: RouteBudget,
  { withBudget }: RouteLimit,
  subject: RateSubject,
) {
  const { id, isAddress, plan, caller, label } = subject;
  if (!isSeparate) return { id, isAddress, caller, label, plan: withBudget(plan) };
  // A client can have any number of addresses, and would get another limit for each.
  if (isAddress) return subject;
  return { id, caller: `${name} ${caller ?? id}`, label, plan: windows };
}

/** At most a whole window, as more could never be allowed. */
function affordable(cost: number, plan: RatePlan): number {
  return Math.min(cost, ...plan.map(({ limit }) => limit));
}

/** A refusal as ThrottlerGuard passes it to its subclasses. */
function detailOf(
  { binding, plan, remaining, retryAfterSeconds }: RateLimitDecision,
  tracker: string,
): ThrottlerLimitDetail {
  const { limit, lengthMs, key } = counted(plan).windows.find(({ window }) => window === binding)!;
  return {
    limit,
    ttl: lengthMs,
    key,
    tracker,
    totalHits: limit - remaining + 1,
    timeToExpire: retryAfterSeconds,
    isBlocked: true,
    timeToBlockExpire: retryAfterSeconds,
  };
}
