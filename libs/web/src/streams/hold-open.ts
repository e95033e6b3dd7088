import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  Optional,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import type { Route } from '@animal-store/http-errors';
import { type Observable, of } from 'rxjs';
import { sendsSse, unmarkSse } from '../handler-parameters.js';
import { factsOf } from '../request-facts.js';
import { declareErrors, READS_NOTHING } from '@animal-store/kernel/http';
import { EventStream } from './event-stream.js';
import { STREAM_ERRORS } from './stream.errors.js';
import { Streams } from './streams.js';

const HOLDS_OPEN = 'streams:holds-open';
const SENDS_EVENTS = 'streams:sends-events';

/** `no-transform`: what compresses would hold events back. The other is for nginx, which would, too. */
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

@Injectable()
class HoldOpenInterceptor implements NestInterceptor {
  // A spec of one module has none, and sends no requests.
  constructor(@Optional() private readonly streams?: Streams) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const response = http.getResponse<ServerResponse>();
    if (!this.streams) throw new Error('@HoldOpen() needs the OperationsModule.');
    const signal = this.streams.hold(http.getRequest(), response);
    if (!sendsEvents(context.getHandler())) return next.handle();
    const events = new EventStream(next.handle(), response, signal);
    await events.opened();
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    return of(events);
  }
}

/**
 * Lets the response of a handler stay open for as long as it likes, which no other may: `MAX_STREAMS` of them, and
 * `MAX_STREAMS_PER_ACCOUNT` of one account. It must end when the server shuts down, and when the key of the caller was revoked or
 * has expired. A handler with `@Sse()` need do nothing for that: it returns its events, as an Observable or, if it reads
 * them somewhere, as an async iterable, such as that of `follow()`. Every other handler takes `@StreamSignal()`, and sends
 * something every 15 s, because proxies close connections without traffic.
 *
 * @example
 * ```ts
 * @Sse('changes')
 * @HoldOpen()
 * changes(): Observable<StreamEvent> {
 *   return this.changes.all().pipe(map((data) => ({ data })));
 * }
 * ```
 */
export function HoldOpen(): MethodDecorator {
  return applyDecorators(
    SetMetadata(HOLDS_OPEN, true),
    UseInterceptors(HoldOpenInterceptor),
    declareErrors(STREAM_ERRORS),
  );
}

/**
 * Makes Nest send the events of `@Sse()` with `@HoldOpen()` as it sends every other body that comes bit by bit. What it
 * has for `@Sse()` sends the headers before the handler has read anything, so that no error has its status, and lets
 * megabytes wait for a client that does not read. Call it before the application listens.
 */
export function sendEventsAsBodies(routes: readonly Pick<Route, 'handler'>[]): void {
  for (const { handler } of routes) {
    if (!sendsSse(handler) || !Reflect.hasMetadata(HOLDS_OPEN, handler)) continue;
    unmarkSse(handler);
    Reflect.defineMetadata(SENDS_EVENTS, true, handler);
  }
}

/** Whether it has `@Sse()` and `@HoldOpen()`. */
export function sendsEvents(handler: object): boolean {
  return Reflect.hasMetadata(SENDS_EVENTS, handler);
}

/**
 * Injects the `AbortSignal` of a response with `@HoldOpen()`: end the response when it fires. It fires, too, when the
 * client has gone.
 *
 * @example
 * ```ts
 * @Get('export')
 * @HoldOpen()
 * async export(@StreamSignal() signal: AbortSignal, @Res() response: Response): Promise<void> {
 *   for await (const line of this.lines.all({ signal })) response.write(line);
 *   response.end();
 * }
 * ```
 */
export const StreamSignal = createParamDecorator(
  Object.assign(
    (_: unknown, context: ExecutionContext): AbortSignal => {
      const { streamSignal: signal } = factsOf(context.switchToHttp().getRequest<IncomingMessage>());
      if (!signal)
        throw new Error(`@StreamSignal() of ${context.getHandler().name} needs @HoldOpen() on the handler.`);
      return signal;
    },
    { [READS_NOTHING]: true },
  ),
);
