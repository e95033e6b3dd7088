import type { IncomingMessage } from 'node:http';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Inject,
  Logger,
  NotFoundException,
  Optional,
} from '@nestjs/common';
import { type AnyRequest, type AnyResponse, nodeRequest, nodeResponse } from '@animal-store/kernel/http';
import { type HttpError, httpErrorFrom, httpErrorOf, isErrorStatus, sendError } from './http-error.js';
import { RouteNotFound } from './routes/route.errors.js';

export const HTTP_ERRORS_OPTIONS = Symbol('HTTP_ERRORS_OPTIONS');

export interface HttpErrorFilterOptions {
  /**
   * Translates errors, also HttpExceptions; null leaves an error to the filter. The message that it returns is sent
   * unchanged. When it throws, or its status is not one of an error, the response is 500 `internal_error`.
   */
  translate?(error: unknown): HttpError | null;
  /** The page that describes all errors. Each error then has a `Link; rel="help"` to it, with the code as fragment. */
  helpUrl?: string;
  /** Called before an error is sent, to set further headers. */
  beforeSend?(request: AnyRequest, response: AnyResponse): void;
  /**
   * Called with every error whose status is 500 or above, and the request of Node: Express extends it, Fastify wraps
   * it. Default: Nest's logger gets the error.
   */
  onUnexpected?(error: unknown, request: IncomingMessage): void;
}

/**
 * Sends every error with `sendError`: as `translate` says, otherwise as `httpErrorFrom` says. When the headers of a
 * response are already sent, its connection is closed, so that the client notices the incomplete body.
 *
 * An error of a GraphQL resolver or of a microservice's handler is left to Nest.
 */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  constructor(
    @Optional() @Inject(HTTP_ERRORS_OPTIONS) protected readonly options: HttpErrorFilterOptions = {},
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') return;
    const request = host.getArgByIndex<IncomingMessage & { is404?: boolean }>(0);
    const response = host.getArgByIndex<AnyResponse>(1);
    // No route has the path, for which Nest throws an error of its own.
    const isUnrouted = request.is404 === true && error instanceof NotFoundException;
    const httpError = this.httpErrorFrom(isUnrouted ? new RouteNotFound() : error);
    if (httpError.status >= 500) this.report(error, nodeRequest(request));
    const sent = nodeResponse(response);
    if (sent.headersSent) {
      if (!sent.writableEnded) sent.destroy();
      return;
    }
    void attempt(() => this.options.beforeSend?.(request, response));
    try {
      sendError(response, httpError, this.options.helpUrl);
    } catch (failure) {
      // The failure is about a header or a message that cannot be sent.
      logger.error(failure);
      sendError(response, httpErrorOf(500), this.options.helpUrl);
    }
  }

  private httpErrorFrom(error: unknown): HttpError {
    try {
      const translated = this.options.translate?.(error) ?? httpErrorFrom(error);
      const { status } = translated;
      if (isErrorStatus(status)) return translated;
      logger.error(`"translate" has returned the status ${String(status)}, which is not one of an error.`);
    } catch (failure) {
      logger.error(failure);
    }
    return httpErrorOf(500);
  }

  private report(error: unknown, request: IncomingMessage): void {
    if (!this.options.onUnexpected) return logger.error(error);
    void attempt(() => this.options.onUnexpected!(error, request), error);
  }
}

const logger = new Logger('HttpErrorFilter');

/** Calls a function of the application. When that fails, the client still gets the response to its own error. */
async function attempt(call: () => unknown, error?: unknown): Promise<void> {
  try {
    await call();
  } catch (failure) {
    if (error !== undefined) logger.error(error);
    logger.error(failure);
  }
}
