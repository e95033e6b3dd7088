import type { IncomingMessage } from 'node:http';
import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { SSE_METADATA } from '@nestjs/common/constants.js';
import { fromEvent, type Observable, takeUntil } from 'rxjs';
import { factsOf } from '../request-facts.js';
import { declareErrors } from '../responses/declared-errors.js';
import { STREAM_ERRORS } from './stream.errors.js';
import { Streams } from './streams.js';

@Injectable()
class HoldOpenInterceptor implements NestInterceptor {
  constructor(private readonly streams: Streams) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const signal = this.streams.hold(http.getRequest(), http.getResponse());
    const result = next.handle();
    // Nest ends the response when there are no more events. Every other handler gets the signal.
    const isEvents = Reflect.hasMetadata(SSE_METADATA, context.getHandler());
    return isEvents ? result.pipe(takeUntil(fromEvent(signal, 'abort'))) : result;
  }
}

/**
 * Lets the response of a handler stay open for as long as it likes, which no other may: `MAX_STREAMS` of them, and
 * `MAX_STREAMS_PER_KEY` of one key. It must end when the server shuts down, and when the key of the caller was revoked or
 * has expired. A handler with `@Sse()` need do nothing for that; every other one takes `@StreamSignal()`.
 *
 * Send something every 15 s, such as a comment: proxies close connections without traffic, and a client that has gone is
 * noticed only when something is sent.
 *
 * @example
 * ```ts
 * @Sse('changes')
 * @HoldOpen()
 * changes(): Observable<MessageEvent> {
 *   return merge(this.changes.all(), interval(15_000).pipe(map(() => ({ comment: '' }))));
 * }
 * ```
 */
export function HoldOpen(): MethodDecorator {
  return applyDecorators(UseInterceptors(HoldOpenInterceptor), declareErrors(STREAM_ERRORS));
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
export const StreamSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const { streamSignal: signal } = factsOf(context.switchToHttp().getRequest<IncomingMessage>());
  if (!signal)
    throw new Error(`@StreamSignal() of ${context.getHandler().name} needs @HoldOpen() on the handler.`);
  return signal;
});
