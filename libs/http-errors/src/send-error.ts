import type { ServerResponse } from 'node:http';
import { errorDefaults } from './error-defaults.js';
import { type FastifyReply, type HttpResponse, isFastifyReply } from './http.js';

/** An error response: the three fields of the Error object, and headers. */
export interface HttpError {
  /** HTTP status code, 400 to 599. */
  status: number;
  code: string;
  message: string;
  headers?: Readonly<Record<string, string>>;
}

/**
 * The default error of a status.
 *
 * @param status HTTP status code, 400 to 599
 * @example
 * httpErrorOf(408); // { status: 408, code: 'request_timeout', message: 'The request did not arrive in time.' }
 */
export function httpErrorOf(status: number): HttpError {
  return { status, ...errorDefaults(status) };
}

/** On the response, so that the code needs no table of its own and goes with it. */
const CODE = Symbol('error code');
type CodedResponse = ServerResponse & { [CODE]?: string };

/**
 * The code of the error that was sent with `sendError`; undefined for every other response. For logs and metrics.
 *
 * @example
 * response.on('finish', () => log({ status: response.statusCode, code: sentErrorCode(response) }));
 */
export function sentErrorCode(response: ServerResponse): string | undefined {
  return (response as CodedResponse)[CODE];
}

/** RFC 9110 section 15.1: without this header caches may store a 404, 405, 410 or 414. */
const NOT_CACHED = 'no-store';
const MEDIA_TYPE = 'application/json; charset=utf-8';

/**
 * Sends exactly `{"code","message","status"}` with `application/json; charset=utf-8`. Headers that are already set
 * stay. For errors outside Nest: in middleware and in events of the server.
 *
 * @param response a response, or a reply of Fastify, whose headers have not been sent
 * @example
 * ```ts
 * server.on('clientError', (_error, socket) => {
 *   const response = new ServerResponse(new IncomingMessage(socket));
 *   response.assignSocket(socket);
 *   sendError(response, httpErrorOf(400));
 * });
 * ```
 */
export function sendError(response: HttpResponse, error: HttpError): void {
  const { status, code, message } = error;
  const body = JSON.stringify({ code, message, status });
  if (isFastifyReply(response)) return replyWith(response, error, body);
  response.statusCode = status;
  (response as CodedResponse)[CODE] = code;
  for (const name in error.headers) response.setHeader(name, error.headers[name]!);
  response.setHeader('Cache-Control', NOT_CACHED);
  response.setHeader('Content-Type', MEDIA_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  // RFC 9110 section 9.3.2: HEAD has the headers of GET, including the length, and no body.
  if (response.req.method === 'HEAD') response.end();
  else response.end(body);
}

/** Through Fastify, so that its hooks run. It computes the length, and leaves out the body for HEAD. */
function replyWith(reply: FastifyReply, { status, code, headers }: HttpError, body: string): void {
  (reply.raw as CodedResponse)[CODE] = code;
  reply.code(status);
  for (const name in headers) reply.header(name, headers[name]!);
  reply.header('Cache-Control', NOT_CACHED);
  reply.header('Content-Type', MEDIA_TYPE);
  reply.send(body);
}
