import { ArgumentsHost, Catch, ExceptionFilter, HttpException } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody } from './error-body.js';
import { errorDefaults } from './error-defaults.js';

/** One answer to one error: the three fields of the Error object, and facts that belong in headers. */
export interface ErrorAnswer {
  /** HTTP status code, 400 to 599. */
  status: number;
  code: string;
  message: string;
  headers?: Readonly<Record<string, string>>;
}

export interface HttpErrorFilterOptions {
  /**
   * Answers the application's own errors; null leaves an error to the filter. Asked first, about everything thrown.
   * Its message is sent as it is.
   */
  translate?: (error: unknown) => ErrorAnswer | null;
  /** Told of every error answered with 500 or above, for the log. Must not throw. */
  onUnexpected?: (error: unknown, request: IncomingMessage) => void;
}

/**
 * Turns everything thrown into exactly `{"code","message","status"}` as `application/json; charset=utf-8`, and keeps
 * the headers the response already has.
 *
 * - What `translate` answers is sent.
 * - An HttpException whose body is `{ code, message }` keeps both.
 * - Any other HttpException, and any error with a 4xx `status` or `statusCode`, gets the code and the message of its
 *   status: its own text is not shown, as Nest wraps errors of the router and of parsers in HttpExceptions.
 * - Anything else is 500 `internal_error`.
 *
 * A response whose headers have left already cannot be corrected: its connection is closed, so that the client sees
 * that the body is cut.
 *
 * @example
 * ```ts
 * {
 *   provide: APP_FILTER,
 *   useFactory: (log: RequestLog) =>
 *     new HttpErrorFilter({ onUnexpected: (error, request) => log.failed(request, error) }),
 *   inject: [RequestLog],
 * }
 * ```
 */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  constructor(private readonly options: HttpErrorFilterOptions = {}) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<IncomingMessage>();
    const response = http.getResponse<ServerResponse>();
    const answer = this.options.translate?.(error) ?? answerTo(error);
    if (answer.status >= 500) this.options.onUnexpected?.(error, request);
    if (response.headersSent) {
      if (!response.writableEnded) response.destroy();
      return;
    }

    const body = errorBody(answer.code, answer.message, answer.status);
    response.statusCode = answer.status;
    for (const name in answer.headers) response.setHeader(name, answer.headers[name]!);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(body));
    // RFC 9110 section 9.3.2: HEAD is answered with the headers of GET, the length included, and no body.
    if (request.method === 'HEAD') response.end();
    else response.end(body);
  }
}

function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof HttpException) {
    const status = error.getStatus();
    if (status < 400 || status > 599) return byStatus(500);
    const body: unknown = error.getResponse();
    return isCoded(body) ? { status, code: body.code, message: body.message } : byStatus(status);
  }
  return byStatus(clientErrorStatus(error) ?? 500);
}

function byStatus(status: number): ErrorAnswer {
  return { status, ...errorDefaults(status) };
}

function isCoded(body: unknown): body is { code: string; message: string } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'code' in body &&
    typeof body.code === 'string' &&
    'message' in body &&
    typeof body.message === 'string'
  );
}

function clientErrorStatus(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null;
  const { status, statusCode } = error as { status?: unknown; statusCode?: unknown };
  for (const candidate of [status, statusCode]) {
    if (Number.isInteger(candidate) && (candidate as number) >= 400 && (candidate as number) < 500) {
      return candidate as number;
    }
  }
  return null;
}
