import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestIdFrom } from './request-id.js';
import type { RequestLog } from './logging/request-log.js';
import type { Metrics } from './metrics/metrics.js';
import type { DescribeRequest } from './operations.options.js';

/** A request that `RequestObserver.started` has seen. */
export interface ObservedRequest extends IncomingMessage {
  requestId: string;
  /** Monotonic milliseconds, good for durations only. */
  startedAtMs: number;
  /** Counted up from request to request. */
  ordinal: number;
  /** Where its response is among the running ones; null when it has finished. */
  place: number | null;
}

/** Sees every request begin and end: its id, its log line, its metrics, and the connections to close at shutdown. */
export class RequestObserver {
  // In no order, so that each can leave by itself. Not a Set: V8 makes a new table of it every now and then, each old
  // table knows the next, and what was ever in one stays with it until the next full collection.
  private readonly running: ServerResponse[] = [];
  private count = 0;
  private draining = false;

  constructor(
    private readonly describe: DescribeRequest,
    private readonly log: RequestLog,
    private readonly metrics: Metrics,
    private readonly monotonicMs: () => number,
  ) {}

  get runningCount(): number {
    return this.running.length;
  }

  /** The answers on `socket` that are not finished, in the order of their requests. */
  runningOn(socket: Socket): ServerResponse[] {
    return this.running
      .filter((response) => response.req.socket === socket)
      .sort((one, other) => ordinalOf(one) - ordinalOf(other));
  }

  /** To be called before anything can answer. */
  started(request: IncomingMessage, response: ServerResponse): void {
    const observed = request as ObservedRequest;
    observed.requestId = requestIdFrom(request.headers['x-request-id']);
    observed.startedAtMs = this.monotonicMs();
    response.setHeader('X-Request-Id', observed.requestId);
    observed.ordinal = this.count++;
    observed.place = this.running.push(response) - 1;
    if (this.draining) response.shouldKeepAlive = false;
  }

  /**
   * To be called when the response has ended or its connection has closed. The first call counts: a response that was
   * not ended by then was aborted by the caller.
   */
  finished(request: IncomingMessage, response: ServerResponse): void {
    const observed = request as ObservedRequest;
    // Undefined in one that was never seen to start.
    if (typeof observed.place !== 'number') return;
    this.leave(observed, observed.place);
    const { requestId, startedAtMs } = observed;
    const durationMs = this.monotonicMs() - startedAtMs;
    const aborted = !response.writableEnded;
    const { route, operation } = this.describe(request);
    this.log.write(request, response, requestId, route, durationMs, aborted);
    this.metrics.requestFinished(operation, aborted ? 'aborted' : response.statusCode, durationMs / 1_000);
  }

  /** From now on every answer closes its connection (`Connection: close`, RFC 9112 section 9.6). */
  closeConnectionsAfterAnswer(): void {
    this.draining = true;
    for (const response of this.running) response.shouldKeepAlive = false;
  }

  /** Its place is taken by the last. */
  private leave(request: ObservedRequest, place: number): void {
    const last = this.running.pop()!;
    if (last.req !== request) {
      (last.req as ObservedRequest).place = place;
      this.running[place] = last;
    }
    request.place = null;
  }
}

function ordinalOf({ req }: ServerResponse): number {
  return (req as ObservedRequest).ordinal;
}
