import { type AnyResponse, oncePer, setHeader } from '@animal-store/kernel/http';
import type { RateLimitDecision } from '../stores/plan-window.js';
import { listedWindows } from '../stores/window-list.js';
import { type RatePlan, secondsOf } from '../rate-plan.js';

/** The rate limit headers, which are on every response that was counted. */
export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const;

/**
 * `X-RateLimit-*` describe the binding window, with Unix time in seconds. `RateLimit-Policy` and `RateLimit` describe all
 * windows as in draft-ietf-httpapi-ratelimit-headers-10; what depends on the draft is in this file.
 */
export function setRateLimitHeaders(response: AnyResponse, decision: RateLimitDecision): void {
  setHeader(response, 'X-RateLimit-Limit', `${decision.limit}`);
  setHeader(response, 'X-RateLimit-Remaining', `${decision.remaining}`);
  setHeader(response, 'X-RateLimit-Reset', `${decision.resetAtSeconds}`);
  setHeader(response, 'RateLimit-Policy', policyField(decision.plan));
  setHeader(response, 'RateLimit', limitField(decision));
}

/** `"minute";q=60;w=60, "day";q=1000;w=86400`: section 3 of the draft. */
const policyField = oncePer((plan: RatePlan) => {
  const items = [
    item('minute', plan.perMinute, 60),
    item('day', plan.perDay, 86_400),
    ...(plan.windows ? listedWindows(plan) : []).map(({ name, limit, window }) =>
      item(name, limit, secondsOf(window.seconds)),
    ),
  ];
  return items.filter((text) => text !== null).join(', ');
});

function item(name: string, limit: number | null | undefined, seconds: number): string | null {
  return typeof limit === 'number' ? `"${name}";q=${limit};w=${seconds}` : null;
}

/** `"minute";r=59;t=42, "day";r=998;t=3600`: section 4 of the draft. */
function limitField(decision: RateLimitDecision): string {
  let field = '';
  if (decision.minuteRemaining !== null)
    field = `"minute";r=${decision.minuteRemaining};t=${decision.minuteResetSeconds}`;
  if (decision.dayRemaining !== null)
    field += `${field && ', '}"day";r=${decision.dayRemaining};t=${decision.dayResetSeconds}`;
  for (const { name, remaining, resetSeconds } of decision.windows)
    field += `${field && ', '}"${name}";r=${remaining};t=${resetSeconds}`;
  return field;
}
