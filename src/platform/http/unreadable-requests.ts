import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { httpErrorOf, sendError } from '@animal-store/http-errors';
import type { Connections } from './connections.js';
import { abortBody } from './request-body.js';

/**
 * How long a refused client may continue sending before its connection is closed. If it were closed at once, the client
 * might miss the response.
 */
const LINGER_MS = 1_000;

const STATUS_BY_ERROR: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Sends the Error object and `Connection: close` for input that cannot be read as a request, or not in time. When it is
 * the body that is incomplete, the code that reads the body reports it, after all guards. Otherwise the response is
 * sent here, in its turn.
 */
export function refuseUnreadable(server: Server, connections: Connections): void {
  const refused = new WeakSet<Socket>();
  const halfReadRequests = new WeakMap<Socket, IncomingMessage>();

  server.on('request', ({ headers, socket }: IncomingMessage, response: ServerResponse) => {
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    response.on('close', () => {
      if (!response.req.complete) halfReadRequests.set(socket, response.req);
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // The previous request asked to close the connection, and its response does that.
    if (error.code !== 'HPE_CLOSED_CONNECTION') refuse(stream as Socket, statusOf(error));
  });
  // Node would leave a tunnel without a response and without a time-out.
  server.on('connect', (_, stream) => {
    const socket = stream as Socket;
    socket.pause();
    socket.on('timeout', () => socket.destroy());
    refuse(socket, 400);
  });

  /** @param status null when no response can be sent */
  function refuse(socket: Socket, status: number | null): void {
    // The parser repeats the error for all further input.
    if (refused.has(socket)) return;
    refused.add(socket);
    const last = connections.openOn(socket).at(-1);
    if (status === null || socket.bytesRead === 0) {
      // A connection that was opened in advance, or by a probe, has not sent anything.
      socket.destroy();
    } else if (!last) {
      respond(socket, status);
    } else if (last.req.complete || last.writableEnded) {
      last.once('close', () => respond(socket, status));
    } else {
      last.shouldKeepAlive = false;
      abortBody(last.req, status);
    }
  }

  function respond(socket: Socket, status: number): void {
    if (!socket.writable || halfReadRequests.get(socket)?.complete === false) {
      socket.destroy();
      return;
    }
    const request = new IncomingMessage(socket);
    const response = new ServerResponse(request);
    if (!connections.beginUnreadable(request, response)) return;
    response.assignSocket(socket);
    response.on('finish', () => {
      response.detachSocket(socket);
      response.emit('close');
      socket.end();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    });
    sendError(response, httpErrorOf(status));
  }
}

function statusOf({ code = '' }: NodeJS.ErrnoException): number | null {
  return STATUS_BY_ERROR[code] ?? (code.startsWith('HPE_') ? 400 : null);
}
