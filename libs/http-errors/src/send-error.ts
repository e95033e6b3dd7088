import type { ServerResponse } from 'node:http';
import { errorDefaults } from './error-defaults.js';

/** One answer to one error: the three fields of the Error object, and facts that belong in headers. */
export interface ErrorAnswer {
  /** HTTP status code, 400 to 599. */
  status: number;
  code: string;
  message: string;
  headers?: Readonly<Record<string, string>>;
}

/**
 * The code and the message that go with a status when nothing more is known.
 *
 * @param status HTTP status code, 400 to 599
 * @example
 * errorAnswer(408); // { status: 408, code: 'request_timeout', message: 'The request did not arrive in time.' }
 */
export function errorAnswer(status: number): ErrorAnswer {
  return { status, ...errorDefaults(status) };
}

/**
 * Answers with exactly `{"code","message","status"}` as `application/json; charset=utf-8`, beside the headers that the
 * response already has. For answers that never reach Nest: those of middleware and of the server's own events.
 *
 * @param response one whose headers have not been sent
 * @example
 * ```ts
 * server.on('clientError', (_error, socket) => {
 *   const response = new ServerResponse(new IncomingMessage(socket));
 *   response.assignSocket(socket);
 *   sendError(response, errorAnswer(400));
 * });
 * ```
 */
export function sendError(response: ServerResponse, { status, code, message, headers }: ErrorAnswer): void {
  const body = JSON.stringify({ code, message, status });
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name]!);
  // RFC 9110 section 15.1: caches may keep a 404, 405, 410 or 414 for as long as they think right, unless told.
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  // RFC 9110 section 9.3.2: HEAD is answered with the headers of GET, the length included, and no body.
  if (response.req.method === 'HEAD') response.end();
  else response.end(body);
}
