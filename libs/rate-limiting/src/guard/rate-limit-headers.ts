import { type AnyResponse, oncePer, setHeader } from '@animal-store/kernel/http';
import type { RateLimitDecision } from '../rate-limit-decision.js';
import { counted, type RatePlan } from '../rate-plan.js';

/** The rate limit headers, which are on every response that was counted. */
export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const;

/**
 * `X-RateLimit-*` describe the binding window, with Unix time in seconds. `RateLimit-Policy` and `RateLimit` describe
 * all windows as in draft-ietf-httpapi-ratelimit-headers-10; what depends on the draft is in this file.
 */
export function setRateLimitHeaders(response: AnyResponse, decision: RateLimitDecision): void {
  setHeader(response, 'X-RateLimit-Limit', `${decision.limit}`);
  setHeader(response, 'X-RateLimit-Remaining', `${decision.remaining}`);
  setHeader(response, 'X-RateLimit-Reset', `${decision.resetAtSeconds}`);
  const { policy, starts } = fieldsOf(decision.plan);
  setHeader(response, 'RateLimit-Policy', policy);
  setHeader(response, 'RateLimit', limitField(starts, decision.states));
}

/** What the two fields of a plan have on every response. */
const fieldsOf = oncePer((plan: RatePlan) => {
  const { windows } = counted(plan);
  return {
    /** `"minute";q=60;w=60, "day";q=1000;w=86400`: section 3 of the draft. */
    policy: windows
      .map(({ name, limit, lengthMs }) => `"${name}";q=${limit};w=${lengthMs / 1_000}`)
      .join(', '),
    starts: windows.map(({ name }, i) => `${i === 0 ? '' : ', '}"${name}";r=`),
  };
});

/** `"minute";r=59;t=42, "day";r=998;t=3600`: section 4 of the draft. */
function limitField(starts: readonly string[], states: readonly number[]): string {
  let field = '';
  for (let i = 0; i < starts.length; i++) field += `${starts[i]}${states[2 * i]};t=${states[2 * i + 1]}`;
  return field;
}
