import { AsyncResource } from 'node:async_hooks';
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpException } from '@nestjs/common';
import { type HttpError, httpErrorFrom } from '@animal-store/http-errors';
import {
  HeadersTooLarge,
  InvalidRequest,
  PayloadTooLarge,
  RequestTimeout,
} from '../responses/request.errors.js';
import { abortBody } from '../input/body/request-body.js';
import type { Connection } from './connection.js';

const BY_CODE: Readonly<Record<string, new () => HttpException>> = {
  ERR_HTTP_REQUEST_TIMEOUT: RequestTimeout,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: PayloadTooLarge,
  HPE_HEADER_OVERFLOW: HeadersTooLarge,
};

/** The part of `FrontDoor` that is needed here. */
export interface Door {
  connectionOf(socket: Socket): Connection | undefined;
  startUnreadable(request: IncomingMessage, response: ServerResponse): boolean;
  refuse(response: ServerResponse, error: HttpError): void;
}

/**
 * Sends the Error object and `Connection: close` for input that cannot be read as a request, or not in time. When it is
 * the body that is incomplete, the code that reads the body reports it, after all guards. Otherwise the response is
 * sent here, in its turn.
 */
export function refuseUnreadable(server: Server, door: Door): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // The previous request closes the connection with its response.
    if (error.code !== 'HPE_CLOSED_CONNECTION') refuse(stream as Socket, errorOf(error));
  });
  // Node would leave a tunnel without a response and without a time-out.
  server.on('connect', (_, stream) => {
    const socket = stream as Socket;
    socket.pause();
    socket.on('timeout', () => socket.destroy());
    refuse(socket, new InvalidRequest());
  });

  /** @param error null when no response can be sent */
  function refuse(socket: Socket, error: HttpException | null): void {
    const connection = door.connectionOf(socket);
    // The parser repeats the error for all further input.
    if (connection?.isRefused) return;
    if (connection === undefined || error === null) {
      socket.destroy();
      return;
    }
    if (socket.bytesRead === 0) {
      // A connection that was opened in advance, or by a probe, has not sent anything. Or the process was too busy to
      // read it, and does that next.
      setImmediate(() => socket.bytesRead === 0 && socket.destroy());
      return;
    }
    connection.isRefused = true;
    const last = connection.open.at(-1);
    if (!last) {
      respond(connection, error);
    } else if (last.req.complete || last.writableEnded) {
      last.once(
        'close',
        AsyncResource.bind(() => respond(connection, error)),
      );
    } else {
      last.shouldKeepAlive = false;
      abortBody(last.req, error);
    }
  }

  function respond({ socket, isHalfRead }: Connection, error: HttpException): void {
    if (isHalfRead) return socket.destroySoon();
    const request = new IncomingMessage(socket);
    const response = new ServerResponse(request);
    if (!door.startUnreadable(request, response)) return;
    response.assignSocket(socket);
    response.on('finish', () => {
      response.detachSocket(socket);
      response.emit('close');
    });
    door.refuse(response, httpErrorFrom(error));
  }
}

function errorOf({ code = '' }: NodeJS.ErrnoException): HttpException | null {
  const known = BY_CODE[code];
  if (known) return new known();
  return code.startsWith('HPE_') ? new InvalidRequest() : null;
}
