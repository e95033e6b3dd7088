import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorAnswer, sendError } from '#libs/http-errors';
import type { Settings } from '../config/settings.js';
import { breakOff } from './request-body.js';

/** What the server tells of the requests that never become requests, and asks about those that did. */
export interface ServerWatch {
  /** An answer is about to be given to something that could not be read as a request. */
  started(request: IncomingMessage, response: ServerResponse): void;
  /** The answers on this socket that are not finished, in the order of their requests. */
  runningOn(socket: Socket): readonly ServerResponse[];
  connectionDropped(): void;
}

/** How long a sender that has been refused may go on before it is cut off: closed at once, it might miss the answer. */
const LINGER_MS = 1_000;

const STATUS_BY_ERROR: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** Bounds on what one client may take of the server's time and sockets, and the answers to those who exceed them. */
export function limitServer(server: Server, limits: Settings['server'], watch: ServerWatch): void {
  server.headersTimeout = limits.headersTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveTimeoutMs;
  // Of a connection on which nothing moves though an answer is due: its client does not read.
  server.timeout = 2 * limits.requestTimeoutMs;
  server.maxConnections = limits.maxConnections;
  server.on('drop', () => watch.connectionDropped());
  answerUnreadable(server, watch);
  honourExpectations(server);
}

/**
 * What cannot be read as a request, or not in time, is answered with the Error object and `Connection: close`. When it is
 * the body that breaks off, the request is answered by whoever reads it, after all guards; otherwise here, in its turn.
 */
function answerUnreadable(server: Server, watch: ServerWatch): void {
  const refused = new WeakSet<Socket>();
  const answeredHalfRead = new WeakMap<Socket, IncomingMessage>();

  server.on('request', ({ headers, socket }: IncomingMessage, response: ServerResponse) => {
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    response.on('close', () => {
      if (!response.req.complete) answeredHalfRead.set(socket, response.req);
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // The request before it asked for the connection to be closed, and its answer does that.
    if (error.code !== 'HPE_CLOSED_CONNECTION') refuse(stream as Socket, statusOf(error));
  });
  // A tunnel is the one thing that Node would leave without any answer.
  server.on('connect', (_, stream) => refuse(stream as Socket, 400));

  /** @param status null when there is nobody to answer */
  function refuse(socket: Socket, status: number | null): void {
    // The parser repeats its complaint for every further piece that arrives.
    if (refused.has(socket)) return;
    refused.add(socket);
    const last = watch.runningOn(socket).at(-1);
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
    response.assignSocket(socket);
    response.on('finish', () => {
      response.detachSocket(socket);
      response.emit('close');
      socket.end();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    });
    watch.started(request, response);
    sendError(response, errorAnswer(status));
  }
}

function statusOf({ code = '' }: NodeJS.ErrnoException): number | null {
  return STATUS_BY_ERROR[code] ?? (code.startsWith('HPE_') ? 400 : null);
}

/** RFC 9110, section 10.1.1. */
function honourExpectations(server: Server): void {
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response);
  // Whoever reads the body says that it may be sent (src/http/request-body.ts); who refuses the request need not.
  server.on('checkContinue', serve);
  // What else is expected may be ignored; Node would answer 417 without a body.
  server.on('checkExpectation', serve);
}
