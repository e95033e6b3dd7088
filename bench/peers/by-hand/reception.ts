import type { IncomingMessage, ServerOptions } from 'node:http';
import { type Answer, failure } from './answer.js';
import { AnimalStore } from './animal-store.js';
import { ApiKeys, type Caller } from './api-keys.js';
import { limitDecided, requestIdFrom, serveMetrics } from './observation.js';
import { type Plan, RateLimits, type Verdict } from './rate-limits.js';

/** What every peer by hand is started with, by the names the service itself reads. */
export const port = Number(process.env.PORT);
export const MAX_BODY_BYTES = 16_384;
export const serverLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
} satisfies ServerOptions;

const ANONYMOUS: Plan = { name: 'none', perMinute: 60, perDay: Infinity, policy: '"minute";q=60;w=60' };

/** How a request was received: the headers of its answer so far, and who sent it or why it is refused. */
export interface Reception {
  readonly requestId: string;
  readonly keyId: string | null;
  readonly headers: string[];
  readonly caller: Caller | Answer;
}

export const store = new AnimalStore(process.env.DATABASE_URL!.replace('sqlite:', ''));
const keys = new ApiKeys(store.database);
const limits = new RateLimits(store);
if (process.env.METRICS_PORT) serveMetrics(Number(process.env.METRICS_PORT));

/** Request id, key, both windows, and their headers; then a key is required. */
export function receive(request: IncomingMessage): Reception {
  const nowMs = Date.now();
  const requestId = requestIdFrom(request.headers['x-request-id']);
  const found = keys.callerOf(request.rawHeaders, nowMs);
  const known = typeof found === 'object' ? found : null;
  const plan = known ? known.plan : ANONYMOUS;
  const counter = known ? known.counter : limits.counterOfAddress(request.socket.remoteAddress!);
  const verdict = limits.decide(counter, plan, nowMs);
  limitDecided(verdict.code ?? 'allowed', plan.name);
  const headers = [
    'X-Request-Id',
    requestId,
    'X-Content-Type-Options',
    'nosniff',
    'X-RateLimit-Limit',
    String(verdict.limit),
    'X-RateLimit-Remaining',
    String(verdict.remaining),
    'X-RateLimit-Reset',
    String(verdict.resetAtSeconds),
    'RateLimit-Policy',
    plan.policy,
    'RateLimit',
    verdict.rateLimit,
  ];
  const caller =
    verdict.code !== null ? limited(verdict, plan) : typeof found === 'object' ? found : keyless(found);
  return { requestId, keyId: known ? known.keyId : null, headers, caller };
}

function limited({ code, retryAfterSeconds }: Verdict, { perMinute, perDay }: Plan): Answer {
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  const message =
    code === 'api_key_banned'
      ? `Too many requests were sent after a 429; the ban ends in ${wait}.`
      : code === 'daily_quota_exceeded'
        ? `The plan allows ${perDay} requests per day (UTC); try again in ${wait}.`
        : `The plan allows ${perMinute} requests per minute; try again in ${wait}.`;
  return failure(429, code!, message, ['Retry-After', String(retryAfterSeconds)]);
}

function keyless(reason: 'missing' | 'invalid'): Answer {
  const realm = 'Bearer realm="animal-store"';
  return reason === 'missing'
    ? failure(
        401,
        'missing_api_key',
        'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".',
        ['WWW-Authenticate', realm],
      )
    : failure(401, 'invalid_api_key', 'The API key is not valid.', [
        'WWW-Authenticate',
        `${realm}, error="invalid_token"`,
      ]);
}
