import { randomBytes } from 'node:crypto';
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type Caller, callerOf } from '@animal-store/api-keys';
import { RouteTable, sentErrorCode } from '@animal-store/http-errors';
import { Clock, LineLimit } from '@animal-store/kernel';
import { oncePer } from '@animal-store/kernel/http';
import { factsOf, REQUEST_ID, type RequestWatch } from '@animal-store/web';
import { JsonLogger } from './logging/json-logger.js';
import { HealthController } from './health/health.controller.js';
import { Metrics } from './metrics/metrics.js';
import { activeTraceId, traceIdFrom } from './tracing.js';

/** The names under which a request is logged and counted. */
interface RequestNames {
  /** The pattern of the route, such as `"route":"/v1/ships/:shipId"`; never the path as sent. */
  readonly route: string;
  /** Such as `listShips`. */
  readonly operation: string;
  /** Whether the request is a health check, of which there is one every few seconds. */
  readonly isProbe?: boolean;
}

const UNMATCHED: RequestNames = { route: '"route":"unmatched"', operation: 'unmatched' };
/** Input that could not be read as a request has no method. */
const UNREADABLE: RequestNames = { route: '"route":"unreadable"', operation: 'unreadable' };

/** The fields of a log line that have few values, as V8 joins two texts at a time. */
const LEVELS = {
  debug: '{"level":"debug","time":',
  info: '{"level":"info","time":',
  error: '{"level":"error","time":',
};
const METHOD_FIELDS = new Map(METHODS.map((method) => [method, `,"method":"${method}",`]));

/** How often dropped connections are logged, so that one client cannot fill the log. */
const DROPS_EVERY_MS = 60_000;

/** A route of Express, and the methods that it has. */
interface MatchedRoute {
  readonly path: string;
  readonly methods: Readonly<Record<string, boolean>>;
}

/**
 * Observes the start and the end of every request, once each. It sets the request id and writes the log line and the
 * metrics.
 */
@Injectable()
export class RequestObserver implements RequestWatch {
  private readonly namesOfRoute = oncePer((matched: MatchedRoute): RequestNames => {
    const route = this.table.routes.find(
      ({ path, method }) =>
        path === matched.path && (method === 'ALL' || matched.methods[method.toLowerCase()]),
    );
    const isProbe = route?.controller === HealthController;
    return route
      ? { route: `"route":${JSON.stringify(route.path)}`, operation: route.name, isProbe }
      : UNMATCHED;
  });

  private readonly drops: LineLimit;

  constructor(
    private readonly table: RouteTable,
    private readonly logger: JsonLogger,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {
    this.drops = new LineLimit(DROPS_EVERY_MS, clock);
  }

  /** Every operation under which requests are counted. */
  get operations(): Set<string> {
    const declared = this.table.routes.map(({ name }) => name);
    return new Set([...declared, UNMATCHED.operation, UNREADABLE.operation]);
  }

  /** Call it before a response can be sent. */
  started(request: IncomingMessage, response: ServerResponse): void {
    const facts = factsOf(request);
    facts.requestId = this.requestIdFrom(request.headers['x-request-id']);
    facts.traceId = activeTraceId() ?? traceIdFrom(request.headers.traceparent);
    facts.startedAtMs = this.clock.monotonicMs();
    response.setHeader(REQUEST_ID, facts.requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
  }

  /**
   * Call it when the response is sent or its connection has closed. A response that is not sent by then counts as
   * aborted.
   */
  finished(request: IncomingMessage, response: ServerResponse): void {
    const facts = factsOf(request);
    const durationMs = this.clock.monotonicMs() - facts.startedAtMs;
    // Clients close streams, which is how they end. Their duration is no latency of the server.
    const isStream = facts.streamSignal !== null && response.headersSent;
    // Node finishes a response whose bytes were still waiting when its connection was reset.
    const aborted = !isStream && (!response.writableFinished || request.socket.destroyed);
    const { route, operation, isProbe } = this.namesOf(request);
    const code = response.statusCode < 400 || aborted ? undefined : sentErrorCode(response);
    const failed = response.statusCode >= 500 && !aborted;
    const level = isProbe ? 'debug' : failed ? 'error' : 'info';
    if (this.logger.isEnabled(level)) {
      const status = aborted ? null : response.statusCode;
      this.logger.writeLine(this.line(level, request, facts, route, status, code, durationMs));
    }
    if (code !== undefined) this.metrics.errorSent(code);
    const status = aborted ? 'aborted' : response.statusCode;
    // Nor is the time in which a client sends its body.
    const ownMs = Math.max(0, durationMs - (facts.bodyWaitMs ?? 0));
    this.metrics.requestFinished(operation, status, isStream ? null : ownMs / 1_000);
  }

  /** The id that the caller sent, or a new one when it is missing, unsuitable or an API key in the wrong header. */
  private requestIdFrom(header: string | string[] | undefined): string {
    const isFit = typeof header === 'string' && FIT.test(header);
    if (isFit && this.logger.withoutSecrets(header) === header) return header;
    return `${processPart}-${(++made).toString(36)}`;
  }

  /** @param count requests of one connection that were never handled, as it had closed */
  unserved(count: number): void {
    this.metrics.requestsUnserved(count);
    if (this.drops.count('unserved') !== null)
      this.logger.warn('Connections closed before their requests were handled.', 'Server');
  }

  /** A connection was closed to protect the others. */
  dropped(reason: 'too many connections' | 'too many requests'): void {
    this.metrics.connectionDropped();
    if (this.drops.count(reason) === null) return;
    if (reason === 'too many connections')
      this.logger.warn('New connections are dropped: MAX_CONNECTIONS are open.', 'Server');
    else
      this.logger.warn(
        'Connections are closed: too many pipelined requests wait for their response.',
        'Server',
      );
  }

  /** By the route that Express matched. */
  private namesOf(request: IncomingMessage): RequestNames {
    const matched = (request as Request).route as MatchedRoute | undefined;
    if (matched) return this.namesOfRoute(matched);
    return request.method ? UNMATCHED : UNREADABLE;
  }

  /**
   * The log line of a request, with the pattern of the route and the id of the key. Paths, queries, headers and bodies
   * are not logged, as they may contain anything, even a key. It is built by hand, as every request has one.
   *
   * @param status null for an aborted request
   * @param code the code of the error that was sent, if one was
   */
  private line(
    level: keyof typeof LEVELS,
    request: IncomingMessage,
    { requestId, traceId, failure }: ReturnType<typeof factsOf>,
    route: string,
    status: number | null,
    code: string | undefined,
    durationMs: number,
  ): string {
    const caller = callerOf(request);
    return (
      `${LEVELS[level]}${this.clock.now()},"requestId":"${requestId}` +
      `","keyId":${caller === null ? 'null' : keyIdOf(caller)}` +
      `${METHOD_FIELDS.get(request.method!) ?? ',"method":null,'}${route},"status":` +
      `${status ?? 'null,"aborted":true'}` +
      (code === undefined ? '' : `,"code":${JSON.stringify(code)}`) +
      (failure === undefined ? '' : `,"cause":${JSON.stringify(failure)}`) +
      (traceId === undefined ? '' : `,"trace_id":"${traceId}"`) +
      `,"durationMs":${inThousandths(durationMs)}}\n`
    );
  }
}

/** The number with three decimals. Whole numbers become text in a fraction of the time of others. */
function inThousandths(value: number): string {
  const thousandths = Math.round(value * 1_000);
  return `${Math.floor(thousandths / 1_000)}.${String(1_000 + (thousandths % 1_000)).slice(1)}`;
}

/** The id of the key as JSON. */
const keyIdOf = oncePer(({ keyId }: Caller) => JSON.stringify(keyId));

/** Fits in a header and, without escaping, in a line of the log. */
const FIT = /^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]{1,128}$/;

// 64 random bits distinguish processes: a collision takes billions of starts.
const processPart = randomBytes(8).toString('hex');
let made = 0;
