import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdFrom } from './request-id.js';
import type { RequestLog } from './logging/request-log.js';
import type { Metrics } from './metrics/metrics.js';
import type { DescribeRequest } from './operations.options.js';

/** A request that `RequestObserver.started` has seen. */
export interface ObservedRequest extends IncomingMessage {
  requestId: string;
  /** Monotonic milliseconds, good for durations only. */
  startedAtMs: number;
}

/** Is told of every request's begin and end, each once: gives it its id, its log line and its metrics. */
export class RequestObserver {
  constructor(
    private readonly describe: DescribeRequest,
    private readonly log: RequestLog,
    private readonly metrics: Metrics,
    private readonly monotonicMs: () => number,
  ) {}

  /** To be called before anything can answer. */
  started(request: IncomingMessage, response: ServerResponse): void {
    const observed = request as ObservedRequest;
    observed.requestId = requestIdFrom(request.headers['x-request-id']);
    observed.startedAtMs = this.monotonicMs();
    response.setHeader('X-Request-Id', observed.requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
  }

  /** To be called when the response has left or its connection has closed: one that was not sent by then is aborted. */
  finished(request: IncomingMessage, response: ServerResponse): void {
    const { requestId, startedAtMs } = request as ObservedRequest;
    const durationMs = this.monotonicMs() - startedAtMs;
    const aborted = !response.writableFinished;
    const { route, operation } = this.describe(request);
    this.log.write(request, response, requestId, route, durationMs, aborted);
    this.metrics.requestFinished(operation, aborted ? 'aborted' : response.statusCode, durationMs / 1_000);
  }
}
