import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { disarmMalformedPath, sendError } from '#libs/http-errors';
import type { Settings } from '../config/settings.js';
import type { ConnectionBounds, Connections } from './connections.js';
import { messageProblem, UNREADABLE_TARGET } from './message-rules.js';
import { answerUnreadable } from './unreadable-requests.js';

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** What is left of the limits to a connection that only trickles. */
export function connectionBounds(limits: Settings['server']): ConnectionBounds {
  return {
    pipelinedInAll: limits.maxConnections,
    stalledAfterMs: 2 * standstillMs(limits),
    idleAfterMs: limits.keepAliveTimeoutMs + 2_000,
  };
}

/**
 * Stands before everything that answers: bounds what one client may take of the server's time, sockets and memory, and
 * refuses what is no proper message. An Express middleware would see less, and would cost each request a step.
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
  // Of a connection on which nothing moves though a response is due: its client does not read.
  server.timeout = standstillMs(limits);
  server.maxConnections = limits.maxConnections;
  // Node would leave out those beyond the number; src/platform/http/message-rules.ts refuses them.
  server.maxHeadersCount = 0;
  // Who has closed their side, as `nc -N` does, still reads: Node would close the other side at once, response or not.
  Object.assign(server, { httpAllowHalfOpen: true });
  connections.guard(server, (request, response) => serve(request, response, handle));
  answerUnreadable(server, connections);
  honourExpectations(server);
}

/** How long a client may leave a response where it is. */
function standstillMs({ requestTimeoutMs }: Settings['server']): number {
  return 2 * requestTimeoutMs;
}

function serve(request: IncomingMessage, response: ServerResponse, handle: Handler): void {
  const problem = messageProblem(request);
  if (problem !== null) return sendError(response, problem);
  disarmMalformedPath(request);
  handle(request, response, () => sendError(response, UNREADABLE_TARGET));
}

/** RFC 9110, section 10.1.1. */
function honourExpectations(server: Server): void {
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response);
  // Whoever reads the body says that it may be sent (src/platform/http/request-body.ts); who refuses the request need not.
  server.on('checkContinue', serve);
  // What else is expected may be ignored; Node would answer 417 without a body.
  server.on('checkExpectation', serve);
}
