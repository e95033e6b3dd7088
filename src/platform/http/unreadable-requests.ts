import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { httpErrorOf, sendError } from '#libs/http-errors';
import type { Connections } from './connections.js';
import { breakOff } from './request-body.js';

/** How long a sender that has been refused may go on before it is cut off: closed at once, it might miss the response. */
const LINGER_MS = 1_000;

const STATUS_BY_ERROR: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * What cannot be read as a request, or not in time, is answered with the Error object and `Connection: close`. When it is
 * the body that breaks off, the request is answered by whoever reads it, after all guards; otherwise here, in its turn.
 */
export function answerUnreadable(server: Server, connections: Connections): void {
  const refused = new WeakSet<Socket>();
  const answeredHalfRead = new WeakMap<Socket, IncomingMessage>();

  server.on('request', ({ headers, socket }: IncomingMessage, response: ServerResponse) => {
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    response.on('close', () => {
      if (!response.req.complete) answeredHalfRead.set(socket, response.req);
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // The request before it asked for the connection to be closed, and its response does that.
    if (error.code !== 'HPE_CLOSED_CONNECTION') refuse(stream as Socket, statusOf(error));
  });
  // A tunnel is the one thing that Node would leave without any response, and without any time-out.
  server.on('connect', (_, stream) => {
    const socket = stream as Socket;
    socket.pause();
    socket.on('timeout', () => socket.destroy());
    refuse(socket, 400);
  });

  /** @param status null when there is nobody to answer */
  function refuse(socket: Socket, status: number | null): void {
    // The parser repeats its complaint for every further piece that arrives.
    if (refused.has(socket)) return;
    refused.add(socket);
    const last = connections.openOn(socket).at(-1);
    if (status === null || socket.bytesRead === 0) {
      // A connection that was opened ahead of need, or by a probe, has asked for nothing.
      socket.destroy();
    } else if (!last) {
      answer(socket, status);
    } else if (last.req.complete || last.writableEnded) {
      last.once('close', () => answer(socket, status));
    } else {
      last.shouldKeepAlive = false;
      breakOff(last.req, status);
    }
  }

  function answer(socket: Socket, status: number): void {
    if (!socket.writable || answeredHalfRead.get(socket)?.complete === false) {
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
