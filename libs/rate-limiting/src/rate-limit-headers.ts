import type { RateLimitDecision } from './rate-limit-decision.js';
import type { RatePlan } from './rate-plan.js';

const DAY_SECONDS = 86_400;

/** The rate limit headers, which are on every response that was counted. */
export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const;

/** The `RateLimit-Policy` of each plan, which is the same for every request. */
const policies = new WeakMap<RatePlan, string>();

/** `"minute";q=60;w=60, "day";q=1000;w=86400`: draft-ietf-httpapi-ratelimit-headers-10 section 3. */
export function policyField(plan: RatePlan): string {
  let policy = policies.get(plan);
  if (policy === undefined) {
    policy = `"minute";q=${plan.perMinute};w=60`;
    if (plan.perDay !== null) policy += `, "day";q=${plan.perDay};w=${DAY_SECONDS}`;
    policies.set(plan, policy);
  }
  return policy;
}

/** `"minute";r=59;t=42, "day";r=998;t=3600`: draft-ietf-httpapi-ratelimit-headers-10 section 4. */
export function limitField(decision: RateLimitDecision): string {
  const minute = `"minute";r=${decision.minuteRemaining};t=${decision.minuteResetSeconds}`;
  if (decision.dayRemaining === null) return minute;
  return `${minute}, "day";r=${decision.dayRemaining};t=${decision.dayResetSeconds}`;
}
