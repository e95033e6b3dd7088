import { ArgumentsHost, Catch, ExceptionFilter, HttpException } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorAnswer, errorAnswer, sendError } from './send-error.js';

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
    sendError(response, answer);
  }
}

function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof HttpException) {
    const status = error.getStatus();
    if (status < 400 || status > 599) return errorAnswer(500);
    const body: unknown = error.getResponse();
    return isCoded(body) ? { status, code: body.code, message: body.message } : errorAnswer(status);
  }
  return errorAnswer(clientErrorStatus(error) ?? 500);
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
