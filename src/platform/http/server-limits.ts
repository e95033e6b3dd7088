import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { disarmMalformedPath, sendError } from '@animal-store/http-errors';
import type { Settings } from '../config/settings.js';
import type { ConnectionBounds, Connections } from './connections.js';
import { requestHeadError, UNREADABLE_TARGET } from './request-head.js';
import { refuseUnreadable } from './unreadable-requests.js';

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** The limits of connections that make no progress. */
export function connectionBounds(limits: Settings['server']): ConnectionBounds {
  return {
    pipelinedInAll: limits.maxConnections,
    stalledAfterMs: 2 * standstillMs(limits),
    idleAfterMs: limits.keepAliveTimeoutMs + 2_000,
  };
}

/**
 * Runs before everything else: it limits the time, sockets and memory of each client, and refuses invalid requests. An
 * Express middleware would run later and cost each request a step.
 */
export function limitServer(
  server: Server,
  handle: Handler,
  limits: Settings['server'],
  connections: Connections,
): void {
  server.headersTimeout = limits.headersTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveTimeoutMs;
  // Closes a connection without progress although a response is due: its client does not read.
  server.timeout = standstillMs(limits);
  server.maxConnections = limits.maxConnections;
  // Node would drop headers beyond its limit; src/platform/http/request-head.ts refuses such requests.
  server.maxHeadersCount = 0;
  // A client that half-closes its connection, such as `nc -N`, still reads. Node would close the other half at once,
  // even before the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  connections.guard(server, (request, response) => serve(request, response, handle));
  refuseUnreadable(server, connections);
  honourExpectations(server);
}

/** How long a client may stop reading a response. */
function standstillMs({ requestTimeoutMs }: Settings['server']): number {
  return 2 * requestTimeoutMs;
}

function serve(request: IncomingMessage, response: ServerResponse, handle: Handler): void {
  const problem = requestHeadError(request);
  if (problem !== null) return sendError(response, problem);
  disarmMalformedPath(request);
  handle(request, response, () => sendError(response, UNREADABLE_TARGET));
}

/** RFC 9110, section 10.1.1. */
function honourExpectations(server: Server): void {
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response);
  // Reading the body sends the 100 (src/platform/http/request-body.ts). A refused request does not need it.
  server.on('checkContinue', serve);
  // Other expectations may be ignored; Node would send a 417 without a body.
  server.on('checkExpectation', serve);
}
