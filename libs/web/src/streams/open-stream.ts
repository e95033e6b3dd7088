import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  Optional,
  type PipeTransform,
} from '@nestjs/common';
import { declareErrors, READS_NOTHING } from '@animal-store/kernel/http';
import { EventStream } from './event-stream.js';
import { STREAM_ERRORS } from '../responses/request.errors.js';
import { Streams } from './streams.js';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

@Injectable()
class OpenStreamPipe implements PipeTransform<Exchange, EventStream> {
  // A spec of one module has none, and sends no requests.
  constructor(@Optional() private readonly streams?: Streams) {}

  transform({ request, response }: Exchange): EventStream {
    if (!this.streams) throw new Error('@OpenStream() needs the OperationsModule.');
    return new EventStream(response, this.streams.add(request, response));
  }
}

const ReadExchange = createParamDecorator(
  Object.assign(
    (_: unknown, context: ExecutionContext): Exchange => {
      const http = context.switchToHttp();
      return { request: http.getRequest(), response: http.getResponse() };
    },
    { [READS_NOTHING]: true },
  ),
);

/**
 * Injects the `EventStream` of a response that may stay open: `MAX_STREAMS` of them, and `MAX_STREAMS_PER_ACCOUNT` of
 * one account. It ends when the server shuts down, and when the key of the caller is revoked or expires. A handler
 * without `@Sse()` ends it when `stream.signal` fires, and sends something every 15 s, because proxies close idle
 * connections.
 *
 * @throws TooManyStreams, ServerFull
 */
export function OpenStream(): ParameterDecorator {
  return (target, name, index) => {
    ReadExchange(OpenStreamPipe)(target, name, index);
    declareErrors(STREAM_ERRORS)(target, name!, Object.getOwnPropertyDescriptor(target, name!)!);
  };
}
