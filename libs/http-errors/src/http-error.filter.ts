import { ArgumentsHost, Catch, ExceptionFilter, HttpException } from '@nestjs/common';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type ErrorAnswer, errorAnswer, sendError } from './send-error.js';

export interface HttpErrorFilterOptions {
  /**
   * Answers the application's own errors; null leaves an error to the filter. Asked first, about everything thrown.
   * Its message is sent as it is.
   */
  translate?: (error: unknown) => ErrorAnswer | null;
  /** Called before an error is sent, for headers that go with the route or the caller. Must not throw. */
  beforeSend?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Told of every error answered with 500 or above, for the log. Must not throw. */
  onUnexpected?: (error: unknown, request: IncomingMessage) => void;
}

/**
 * Turns everything thrown into exactly `{"code","message","status"}` as `application/json; charset=utf-8`, and keeps
 * the headers the response already has.
 *
 * - What `translate` answers is sent.
 * - An HttpException whose body is `{ code, message }` keeps both.
 * - Any other HttpException with a 4xx status keeps its message (`new ForbiddenException('…')`, a list is joined) and
 *   gets the code of its status. What no route takes is `route_not_found`.
 * - An HttpException with a 5xx status gets the code and the message of its status: its own text is not shown. So does
 *   any error with a 4xx `status` or `statusCode`, as libraries throw it.
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
    const answer = this.options.translate?.(error) ?? answerTo(error, request);
    if (answer.status >= 500) this.options.onUnexpected?.(error, request);
    if (response.headersSent) {
      if (!response.writableEnded) response.destroy();
      return;
    }
    this.options.beforeSend?.(request, response);
    sendError(response, answer);
  }
}

/** What no route takes, where nobody else says it: Nest's router throws a NotFoundException with a text of its own. */
const NO_ROUTE = { status: 404, code: 'route_not_found', message: 'The path does not exist.' };

function answerTo(error: unknown, { method, url }: IncomingMessage): ErrorAnswer {
  if (!(error instanceof HttpException)) return errorAnswer(clientErrorStatus(error) ?? 500);
  const status = error.getStatus();
  if (status < 400 || status > 599) return errorAnswer(500);
  const body: unknown = error.getResponse();
  if (isCoded(body)) return { status, code: body.code, message: body.message };
  const answer = errorAnswer(status);
  const message = status < 500 ? messageOf(body) : '';
  // The target `*` is no path, so not even the routes that take the rest see it.
  const isUnrouted = message.startsWith(`Cannot ${method} /`) || message === `Cannot ${method} ${url}`;
  if (status === 404 && isUnrouted) return NO_ROUTE;
  // `new ConflictException()` says "Conflict": the sentence of its status says more.
  const isItsOwn = message.trim() !== '' && message.toLowerCase() !== STATUS_CODES[status]?.toLowerCase();
  return isItsOwn ? { ...answer, message } : answer;
}

/** The text that an HttpException was made with; empty where it has none that is meant for clients. */
function messageOf(body: unknown): string {
  if (typeof body === 'string') return body;
  // `new BadRequestException(error)`: Nest does not show it either.
  if (typeof body !== 'object' || body === null || body instanceof Error || !('message' in body)) return '';
  const { message } = body;
  if (typeof message === 'string') return message;
  const isList = Array.isArray(message) && message.every((line) => typeof line === 'string');
  return isList ? message.join('; ') : '';
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
