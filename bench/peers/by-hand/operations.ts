import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiKeys, type Caller } from './api-keys.js';
import { Catalogue } from './catalogue.js';
import type { Awaitable, Database } from './database.js';
import { observer, type Received, requestIdFrom, serveMetrics } from './observation.js';
import { Counter, MemoryRateLimits, type Plan, type RateLimits } from './rate-limits.js';
import { failure, type Ready, Refusal } from './response.js';

/** What every peer by hand is started with, by the names that the service itself reads. */
const { PORT, METRICS_PORT, DATABASE_URL, REDIS_URL } = process.env;
export const port = Number(PORT);
export const MAX_BODY_BYTES = 16_384;
export const timeouts = { requestTimeout: 15_000, keepAliveTimeout: 65_000 };

const DEPRECATION_LINKS =
  '</docs/deprecations>; rel="deprecation", </docs/deprecations>; rel="sunset", </v1/pets>; rel="successor-version"';
// prettier-ignore
const DEPRECATION = ['Deprecation', '@1795132800', 'Sunset', 'Thu, 05 Dec 2030 00:00:00 GMT', 'Link', DEPRECATION_LINKS];
const ANONYMOUS: Plan = { name: 'none', perMinute: 60, perDay: Infinity, policy: '"minute";q=60;w=60' };
const REALM = 'Bearer realm="animal-store"';

export const TOO_LARGE = failure(413, 'payload_too_large', 'The body must not exceed 16384 bytes.');
export const NOT_JSON = failure(415, 'unsupported_media_type', 'Content-Type must be application/json.');
export const BROKEN = failure(500, 'internal_error', 'Something went wrong inside the service.');
const NOT_FOUND = failure(404, 'route_not_found', 'The path does not exist.');
const unauthorized = (code: string, message: string, challenge: string) =>
  failure(401, code, message, ['WWW-Authenticate', challenge]);
const NO_KEY = unauthorized('missing_api_key', 'This operation needs an API key.', REALM);
const BAD_KEY = unauthorized('invalid_api_key', 'The key is not valid.', `${REALM}, error="invalid_token"`);

// Only the drivers that are needed are loaded.
const database: Database = DATABASE_URL!.startsWith('postgres:')
  ? new (await import('./postgres.js')).PostgresDatabase(DATABASE_URL!)
  : new (await import('./sqlite.js')).SqliteDatabase(DATABASE_URL!.replace('sqlite:', ''));
const catalogue = new Catalogue(database);
const keys = new ApiKeys(database);
const addresses = new Map<string, Counter>();
const limits: RateLimits = REDIS_URL
  ? new (await import('./redis-rate-limits.js')).RedisRateLimits(REDIS_URL)
  : new MemoryRateLimits();
serveMetrics(Number(METRICS_PORT));

export interface Call {
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  readonly query: string;
  readonly petId: string;
  readonly body: string;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly respond: (call: Call) => Awaitable<Ready>;
  readonly finished: (received: Received, status: number) => void;
}

function route(method: Route['method'], url: string, respond: Route['respond']): Route {
  return { method, url, respond, finished: observer(method, url) };
}

export const LIST = route('GET', '/v1/pets', ({ query }) => catalogue.list(query));
export const GET = route('GET', '/v1/pets/:petId', ({ petId }) => catalogue.get(petId));
export const ADD = route('POST', '/v1/pets', ({ caller, body, headers }) =>
  catalogue.add(caller, body, headers['idempotency-key']),
);
export const ORDER = route('POST', '/v1/store/orders', ({ caller, body }) =>
  catalogue.placeOrder(caller, body),
);
export const UNMATCHED = route('GET', 'unmatched', () => NOT_FOUND);

/** How a request was received: the headers of its response so far, and who sent it or why it is refused. */
export interface Reception extends Received {
  readonly headers: string[];
  readonly caller: Caller | Ready;
}

/** Request id, key, both windows, and their headers; then a key is required. */
export async function receive(request: IncomingMessage, { url }: Route): Promise<Reception> {
  const startedAtMs = performance.now();
  const requestId = requestIdFrom(request.headers['x-request-id']);
  const found = await keys.callerOf(request.headers.authorization);
  const known = typeof found === 'object' ? found : null;
  const counter = known ? known.counter : counterOf(request.socket.remoteAddress!);
  const { headers, refusal } = await limits.decide(counter, known ? known.plan : ANONYMOUS);
  headers.push('X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff');
  if (url === GET.url) headers.push(...DEPRECATION);
  const caller = refusal ?? known ?? (found === 'missing' ? NO_KEY : BAD_KEY);
  return { requestId, keyId: known ? known.keyId : null, startedAtMs, headers, caller };
}

export async function responseTo({ respond }: Route, call: Call): Promise<Ready> {
  try {
    return await respond(call);
  } catch (error) {
    return error instanceof Refusal ? error.response : BROKEN;
  }
}

function counterOf(address: string): Counter {
  let counter = addresses.get(address);
  if (!counter) addresses.set(address, (counter = new Counter(address)));
  return counter;
}
