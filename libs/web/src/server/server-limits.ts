import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { escapeMalformedPath, type HttpError } from '@animal-store/http-errors';
import type { ConnectionBounds, Connections } from './connections.js';
import type { Refuse } from './refusals.js';
import { requestHeadError, UNREADABLE_TARGET } from './request-head.js';
import { refuseUnreadable } from './unreadable-requests.js';

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

/** The last coding is `chunked`. Node joins the headers of a request, and any of them may be empty. */
const ENDS_CHUNKED = /chunked[\s,]*$/i;

/** The longest time for which a client may stop reading a response. */
function standstillMs({ requestTimeoutMs }: ServerLimits): number {
  return 2 * requestTimeoutMs;
}

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
