import type { IncomingMessage, ServerResponse } from 'node:http';
import { sentErrorCode } from '@animal-store/http-errors';
import { requestIdFrom } from './request-id.js';
import type { RequestLog } from './logging/request-log.js';
import type { Metrics } from './metrics/metrics.js';
import type { DescribeRequest } from './operations.options.js';
import { REQUEST_ID } from '../http/header-names.js';

/** A request that `RequestObserver.started` has seen. */
export interface ObservedRequest extends IncomingMessage {
  requestId: string;
  /** Monotonic milliseconds, for durations only. */
  startedAtMs: number;
}

/**
 * Observes the start and the end of every request, once each. It sets the request id and writes the log line and the
 * metrics.
 */
export class RequestObserver {
  constructor(
    private readonly describe: DescribeRequest,
    private readonly log: RequestLog,
    private readonly metrics: Metrics,
    private readonly monotonicMs: () => number,
  ) {}

  /** Call it before a response can be sent. */
  started(request: IncomingMessage, response: ServerResponse): void {
    const observed = request as ObservedRequest;
    observed.requestId = requestIdFrom(request.headers['x-request-id']);
    observed.startedAtMs = this.monotonicMs();
    response.setHeader(REQUEST_ID, observed.requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
  }

  /**
   * Call it when the response is sent or its connection has closed. A response that is not sent by then counts as
   * aborted.
   */
  finished(request: IncomingMessage, response: ServerResponse): void {
    const { requestId, startedAtMs } = request as ObservedRequest;
    const durationMs = this.monotonicMs() - startedAtMs;
    // Node finishes a response whose bytes were still waiting when its connection was reset.
    const aborted = !response.writableFinished || request.socket.destroyed;
    const { route, operation } = this.describe(request);
    const code = response.statusCode < 400 || aborted ? undefined : sentErrorCode(response);
    this.log.write(request, response, requestId, route, durationMs, aborted, code);
    if (code !== undefined) this.metrics.errorSent(code);
    this.metrics.requestFinished(operation, aborted ? 'aborted' : response.statusCode, durationMs / 1_000);
  }
}
