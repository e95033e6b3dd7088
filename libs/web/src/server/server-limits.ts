import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { escapeMalformedPath, type HttpError, httpErrorFrom } from '@animal-store/http-errors';
import { HeadersTooLarge, InvalidRequest } from '../responses/http.errors.js';
import type { ConnectionBounds, Connections } from './connections.js';
import type { Refuse } from './refusals.js';
import { refuseUnreadable } from './unreadable-requests.js';

/** The number that common proxies allow. Node would silently drop headers beyond a limit of its own. */
const HEADERS_AT_MOST = 100;

/**
 * RFC 9112, section 3.2.2: a proxy may send the whole URL. The port must have digits only, as Node would print such a
 * URL in a warning.
 */
const ABSOLUTE_TARGET = /^[a-z][a-z\d+.-]*:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?]|$)/i;

const UNREADABLE_TARGET = httpErrorFrom(new InvalidRequest('The request target is not a valid URL.'));
const WRONG_HOST = httpErrorFrom(new InvalidRequest('The request must have exactly one Host header.'));
const WRONG_CONTENT_TYPE = httpErrorFrom(
  new InvalidRequest('The request must have no more than one Content-Type header.'),
);
const TOO_MANY_HEADERS = httpErrorFrom(
  new HeadersTooLarge(`The request must have no more than ${HEADERS_AT_MOST} headers.`),
);

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** What one client may take of the server. Times are in milliseconds. */
export interface ServerLimits {
  readonly maxConnections: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
}

/** The limits of connections that make no progress. */
export function connectionBounds(limits: ServerLimits): ConnectionBounds {
  return {
    maxPipelined: limits.maxConnections,
    stalledAfterMs: 2 * standstillMs(limits),
    // Later than Node's own time-out, which any byte restarts.
    idleAfterMs: limits.keepAliveTimeoutMs + 2_000,
  };
}

/**
 * Limits the time, sockets and memory of each client, and refuses invalid requests. This runs before Express: a
 * middleware would run later and cost each request a step.
 *
 * @param refuse responds to what cannot be read as a request
 */
export function limitServer(
  server: Server,
  handle: Handler,
  limits: ServerLimits,
  connections: Connections,
  refuse: Refuse,
): void {
  server.headersTimeout = limits.headersTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveTimeoutMs;
  // A connection that neither sends nor receives for this time is closed, such as when its client does not read.
  server.timeout = standstillMs(limits);
  server.on('timeout', (socket: Socket) => {
    if (connections.of(socket)?.isWaiting) socket.setTimeout(server.timeout);
    else socket.destroy();
  });
  server.maxConnections = limits.maxConnections;
  // With a limit Node would silently drop further headers. Such requests are refused instead.
  server.maxHeadersCount = 0;
  // A client that half-closes its connection, such as `nc -N`, still reads. Node would close the other half at once,
  // even before the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  const headErrors = new WeakMap<IncomingMessage, HttpError>();
  connections.guard(
    server,
    (request, response) => {
      const problem = response.shouldKeepAlive ? undefined : headErrors.get(request);
      if (problem) return refuse(response, problem);
      escapeMalformedPath(request);
      handle(request, response, () => refuse(response, UNREADABLE_TARGET));
    },
    (request, response) => {
      const problem = requestHeadError(request);
      if (problem !== null) headErrors.set(request, problem);
      if (problem !== null || hasUnknownEnd(request)) response.shouldKeepAlive = false;
    },
  );
  refuseUnreadable(server, connections, refuse);
  acceptExpectations(server);
}

/** The longest time for which a client may stop reading a response. */
function standstillMs({ requestTimeoutMs }: ServerLimits): number {
  return 2 * requestTimeoutMs;
}

/**
 * The error in the head of a request that the parser accepts; null when there is none. The parser accepts requests
 * without a Host header here, as its own response would not be an Error object.
 */
function requestHeadError(request: IncomingMessage): HttpError | null {
  const { rawHeaders, headers, url, httpVersionMinor } = request;
  if (rawHeaders.length > 2 * HEADERS_AT_MOST) return TOO_MANY_HEADERS;
  const hosts = count('host', rawHeaders);
  // RFC 9112, section 3.2. HTTP/1.0 knew no Host.
  if (hosts !== 1 && (hosts !== 0 || httpVersionMinor !== 0)) return WRONG_HOST;
  if (headers['content-type'] !== undefined && count('content-type', rawHeaders) > 1)
    return WRONG_CONTENT_TYPE;
  return isTarget(url!) ? null : UNREADABLE_TARGET;
}

/** Any form of request target. A fragment is only for clients (RFC 9112, section 3.2). */
function isTarget(url: string): boolean {
  return (url.startsWith('/') || url === '*' || ABSOLUTE_TARGET.test(url)) && !url.includes('#');
}

/** Counts the raw headers of a name in lower case. Node uses the first of these and drops the others. */
function count(lowerCaseName: string, rawHeaders: readonly string[]): number {
  let found = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) found++;
  }
  return found;
}

/** The last coding is `chunked`. Node joins the headers of a request, and any of them may be empty. */
const ENDS_CHUNKED = /chunked[\s,]*$/i;

/**
 * Whether it is unknown where the next request begins. Nobody here speaks the protocol that an `Upgrade` asks for, and
 * Node would skip a part of what follows. The parser accepts a `Transfer-Encoding` that names no coding, which hides
 * the length (RFC 9112, section 6.3).
 */
function hasUnknownEnd({ headers }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding'];
  return headers.upgrade !== undefined || (codings !== undefined && !ENDS_CHUNKED.test(codings));
}

/** Serves requests with an `Expect` header like all others (RFC 9110, section 10.1.1). */
function acceptExpectations(server: Server): void {
  const emitRequest = (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response);
  // The 100 is sent when the body is read. A refused request does not need it.
  server.on('checkContinue', emitRequest);
  // Other expectations may be ignored. Node would send a 417 without a body.
  server.on('checkExpectation', emitRequest);
}
