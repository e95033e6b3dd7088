import type { IncomingMessage, ServerOptions } from 'node:http';
import { ApiKeys, type Caller } from './api-keys.js';
import { listQuery, newAnimal, newOrder, pathId } from './input.js';
import { limitDecided, requestIdFrom, serveMetrics } from './observation.js';
import { type Plan, RateLimits, type Verdict } from './rate-limits.js';
import { failure, type Ready, Refusal, unlessKnown } from './response.js';
import { Store } from './store.js';

/** What every peer by hand is started with, by the names that the service itself reads. */
export const port = Number(process.env['PORT']);
export const MAX_BODY_BYTES = 16_384;
export const MAX_CONNECTIONS = 10_000;
export const serverLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
} satisfies ServerOptions;

/** `getPet` is deprecated, and every response of it says so. */
export const DEPRECATION = ['Deprecation', '@1764892800', 'Sunset', 'Thu, 05 Dec 2030 00:00:00 GMT', 'Link'];
DEPRECATION.push(
  '</docs/deprecations>; rel="deprecation", </docs/deprecations>; rel="sunset", </v1/pets?status=available>; rel="successor-version"',
);
const SUNSET_MS = Date.UTC(2030, 11, 5);
const ANONYMOUS: Plan = { name: 'none', perMinute: 60, perDay: Infinity, policy: '"minute";q=60;w=60' };
const REALM = 'Bearer realm="animal-store"';

export const ROUTE_NOT_FOUND = failure(404, 'route_not_found', 'The path does not exist.');
export const TOO_LARGE = failure(
  413,
  'payload_too_large',
  `The body must not exceed ${MAX_BODY_BYTES} bytes.`,
);
export const NOT_JSON = failure(
  415,
  'unsupported_media_type',
  'Content-Type must be application/json, in UTF-8.',
);
export const BROKEN = failure(500, 'internal_error', 'Something went wrong inside the service.');
const NO_KEY = failure(401, 'missing_api_key', 'This operation needs an API key.', [
  'WWW-Authenticate',
  REALM,
]);
const BAD_KEY = failure(401, 'invalid_api_key', 'The API key is not valid.', [
  'WWW-Authenticate',
  `${REALM}, error="invalid_token"`,
]);

const store = new Store(process.env['DATABASE_URL']!.replace('sqlite:', ''));
const keys = new ApiKeys(store.reader);
const limits = new RateLimits((counters) => store.saveUsage(counters));
serveMetrics(Number(process.env['METRICS_PORT']));

type Headers = IncomingMessage['headers'];

/** How a request was received: the headers of its response so far, and who sent it or why it is refused. */
export interface Reception {
  readonly requestId: string;
  readonly keyId: string | null;
  readonly headers: string[];
  readonly caller: Caller | Ready;
}

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
  const headers = ['X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff', 'X-RateLimit-Limit'];
  headers.push(
    String(verdict.limit),
    'X-RateLimit-Remaining',
    String(verdict.remaining),
    'X-RateLimit-Reset',
  );
  headers.push(
    String(verdict.resetAtSeconds),
    'RateLimit-Policy',
    plan.policy,
    'RateLimit',
    verdict.rateLimit,
  );
  const caller =
    verdict.code !== null ? limited(verdict, plan) : (known ?? (found === 'missing' ? NO_KEY : BAD_KEY));
  return { requestId, keyId: known ? known.keyId : null, headers, caller };
}

function limited({ code, retryAfterSeconds }: Verdict, { perMinute, perDay }: Plan): Ready {
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  const message =
    code === 'api_key_banned'
      ? `Too many requests were sent after a 429; the ban ends in ${wait}.`
      : code === 'daily_quota_exceeded'
        ? `The plan allows ${perDay} requests per day (UTC); try again in ${wait}.`
        : `The plan allows ${perMinute} requests per minute; try again in ${wait}.`;
  return failure(429, code!, message, ['Retry-After', String(retryAfterSeconds)]);
}

export function listPets(url: string, headers: Headers): Ready {
  const queryAt = url.indexOf('?');
  const query = queryAt === -1 ? '' : url.slice(queryAt + 1);
  const cached = store.cachedPage(query);
  if (cached) return unlessKnown(cached, headers['if-none-match']);
  try {
    return unlessKnown(store.list(query, listQuery(query)), headers['if-none-match']);
  } catch (error) {
    return Refusal.of(error);
  }
}

export function getPet(petId: string, headers: Headers): Ready {
  if (Date.now() >= SUNSET_MS) return failure(410, 'operation_removed', 'This operation was removed.');
  const id = pathId(petId);
  const animal = id === null ? null : store.get(id);
  if (!animal) return failure(404, 'pet_not_found', `No animal has id ${petId}.`);
  return unlessKnown(animal, headers['if-none-match']);
}

export type Write = (caller: Caller, body: string) => Promise<Ready>;

export const createPet: Write = (_caller, body) => responding(() => store.add(newAnimal(body)));

export const placeOrder: Write = ({ account }, body) =>
  responding(() => store.placeOrder(account, newOrder(body).petId));

async function responding(work: () => Promise<Ready>): Promise<Ready> {
  try {
    return await work();
  } catch (error) {
    return Refusal.of(error);
  }
}
