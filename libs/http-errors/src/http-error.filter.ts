import { STATUS_CODES } from 'node:http';
import {
  ArgumentsHost,
  Catch,
  ExceptionFilter,
  HttpException,
  Inject,
  Logger,
  Optional,
} from '@nestjs/common';
import { type HttpRequest, type HttpResponse, isFastifyReply } from './http.js';
import { type HttpError, httpErrorOf, sendError } from './send-error.js';

export const HTTP_ERRORS_OPTIONS = Symbol('HTTP_ERRORS_OPTIONS');

/** Callbacks get request and response as filters do: those of Express or of Fastify. */
export interface HttpErrorFilterOptions {
  /**
   * Translates the errors of the application; null leaves an error to the filter. It is called first, for every error.
   * The message that it returns is sent unchanged.
   */
  translate?(error: unknown): HttpError | null;
  /** Called before an error is sent, for headers that go with the route or the caller. Must not throw. */
  beforeSend?(request: HttpRequest, response: HttpResponse): void;
  /** Called with every error whose status is 500 or above. Must not throw. Default: Nest's logger gets the error. */
  onUnexpected?(error: unknown, request: HttpRequest): void;
}

/**
 * Sends every error as exactly `{"code","message","status"}` with `application/json; charset=utf-8`. Headers that are
 * already set stay.
 *
 * - The result of `translate` is sent.
 * - An HttpException whose body is `{ code, message }` is sent with both.
 * - Any other HttpException with a 4xx status is sent with its message (`new ForbiddenException('…')`; a list is
 *   joined) and the code of its status. When no route matches, the code is `route_not_found`.
 * - An HttpException with a 5xx status is sent with the code and message of its status, as its own text may be
 *   internal. So is any error with a 4xx `status` or `statusCode`, as libraries throw them.
 * - Any other error is 500 `internal_error`.
 *
 * When the headers of a response are already sent, its connection is closed, so that the client notices the incomplete
 * body.
 *
 * An error of a GraphQL resolver or of a microservice's handler is left to Nest. An error in a WebSocket gateway is sent
 * as Nest's own filter does it, without its text unless it is a 4xx.
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
  constructor(
    @Optional() @Inject(HTTP_ERRORS_OPTIONS) private readonly options: HttpErrorFilterOptions = {},
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const type = host.getType<string>();
    if (type === 'ws') return this.tellClient(error, host.switchToWs().getClient<Client>());
    if (type !== 'http') return;
    const http = host.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    const response = http.getResponse<HttpResponse>();
    const httpError = this.options.translate?.(error) ?? httpErrorFrom(error, request);
    if (httpError.status >= 500) this.report(error, request);
    const { headersSent, writableEnded } = isFastifyReply(response) ? response.raw : response;
    if (headersSent) {
      if (!writableEnded) (isFastifyReply(response) ? response.raw : response).destroy();
      return;
    }
    this.options.beforeSend?.(request, response);
    sendError(response, httpError);
  }

  private report(error: unknown, request: HttpRequest): void {
    if (this.options.onUnexpected) this.options.onUnexpected(error, request);
    else logger.error(error);
  }

  private tellClient(error: unknown, client: Client): void {
    const { status, message } = this.options.translate?.(error) ?? httpErrorFrom(error, {});
    if (status >= 500) logger.error(error);
    const data = { status: 'error', message };
    if (client.readyState === undefined) client.emit('exception', data);
    else client.send(JSON.stringify({ event: 'exception', data }));
  }
}

const logger = new Logger('HttpErrorFilter');

/** A client of Socket.IO, or one of the package ws, whose `emit` reaches nobody outside the process. */
interface Client {
  readonly readyState?: number;
  emit(event: string, data: object): void;
  send(text: string): void;
}

/** When no route matches, Nest's router throws a NotFoundException with its own text. */
const NO_ROUTE = { status: 404, code: 'route_not_found', message: 'The path does not exist.' };

function httpErrorFrom(error: unknown, { method, url }: Partial<HttpRequest>): HttpError {
  if (!(error instanceof HttpException)) return httpErrorOf(clientErrorStatus(error) ?? 500);
  const status = error.getStatus();
  if (status < 400 || status > 599) return httpErrorOf(500);
  const body: unknown = error.getResponse();
  if (isCoded(body)) return { status, code: body.code, message: body.message };
  const httpError = httpErrorOf(status);
  const message = status < 500 ? messageOf(body) : '';
  // The target `*` is not a path, so not even the catch-all routes match it.
  const isUnrouted = message.startsWith(`Cannot ${method} /`) || message === `Cannot ${method} ${url}`;
  if (status === 404 && isUnrouted) return NO_ROUTE;
  // `new ConflictException()` only says "Conflict"; the message of the status says more.
  const hasOwnMessage =
    message.trim() !== '' && message.toLowerCase() !== STATUS_CODES[status]?.toLowerCase();
  return hasOwnMessage ? { ...httpError, message } : httpError;
}

/** The message of an HttpException; empty when it has none that is meant for clients. */
function messageOf(body: unknown): string {
  if (typeof body === 'string') return body;
  // Nest does not show the text of `new BadRequestException(error)` either.
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
