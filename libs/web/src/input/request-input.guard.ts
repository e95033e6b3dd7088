import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Request } from 'express';
import { CallerGuard, KeyRequiredGuard } from '@animal-store/api-keys';
import { isRemoved } from '@animal-store/deprecation';
import { refuseMalformedPath, RouteTable } from '@animal-store/http-errors';
import { Clock } from '@animal-store/kernel';
import { perRoute } from '@animal-store/kernel/http';
import { factsOf } from '../request-facts.js';
import { UnknownParameter, UnsupportedHeader } from '../responses/request.errors.js';
import { BodyMemory } from './body/body-memory.js';
import { hasArrivedLate, readBody, readBytesBody, refuseBody } from './body/request-body.js';
import { type HandlerInput, inputOf } from './handler-input.js';

const NO_INPUT: HandlerInput = { body: null, query: null, refusedHeaders: [], sendsBytes: false };

/** How much of bodies is in memory. */
export abstract class BodyLimits {
  /** The largest body, but of operations with a limit of their own. */
  abstract readonly bodyLimitBytes: number;
  /** The most memory for the bodies of these, together. */
  abstract readonly bodyMemoryBytes: number;
}

/**
 * The last global guard. The caller may use the operation, so now the request itself is checked: path, headers, body
 * and query. Interceptors, pipes, handlers and the guards of a controller find `request.body` and
 * `request.rawBody` as in every Nest application.
 *
 * It reads only for handlers that can see a body: those with `@Body()` or `@RawBody()`, and JSON for those with the
 * request or a parameter decorator of the application. `@BytesBody()` has types and a limit of its own.
 * Other content stays a stream, which a handler or an interceptor such as FileInterceptor reads itself.
 *
 * An operation without query parameters refuses all, unless it has the request, and one without a body a body with
 * fields. A change without `@IfMatch()` refuses its conditions, and a PUT a `Content-Range`.
 *
 * A key that ends while the body arrives is refused. A handler that reads a stream checks that itself.
 *
 * @throws MalformedPath, UnsupportedHeader, then UnsupportedMediaType, PayloadTooLarge, InvalidJson or UnexpectedBody
 *   for the body, then UnknownParameter
 */
@Injectable()
export class RequestInputGuard implements CanActivate, OnApplicationBootstrap {
  /** The memory for bodies of bytes, and for bytes that are sent. */
  readonly memory: BodyMemory;
  /** The turn of the event loop in which the next handler that sends bytes may begin. */
  private turn = Promise.resolve();
  private readonly inputOf: (context: ExecutionContext) => HandlerInput;

  constructor(
    private readonly table: RouteTable,
    private readonly limits: BodyLimits,
    private readonly clock: Clock,
    private readonly caller: CallerGuard,
    private readonly keyRequired: KeyRequiredGuard,
  ) {
    this.memory = new BodyMemory(limits.bodyMemoryBytes);
    this.inputOf = perRoute((controller: object, handler: object) => {
      const route = table.routes.find(
        (entry) => entry.handler === handler && entry.controller === controller,
      );
      // The routes of requests that match no other are not in the table.
      return route ? inputOf(route) : NO_INPUT;
    });
  }

  /** @throws Error for an operation whose body may need more than half of the memory for all bodies */
  onApplicationBootstrap(): void {
    for (const route of this.table.routes) {
      const { body } = inputOf(route);
      const most = this.limits.bodyMemoryBytes / 2;
      if (body !== null && typeof body === 'object' && body.maxBytes > most)
        throw new Error(
          `${route.controller.name}.${route.name} accepts ${body.maxBytes} bytes: BODY_MEMORY_BYTES must be twice that, for another account.`,
        );
    }
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') return true;
    // A removed operation responds with 410, whatever is wrong with the path, the query or the body.
    if (isRemoved(context.getHandler(), this.clock.now())) return true;
    const request = context.getArgByIndex<Request>(0);
    refuseMalformedPath(request);
    const input = this.inputOf(context);
    for (const name of input.refusedHeaders)
      if (request.headers[name] !== undefined) throw new UnsupportedHeader(name);
    const reading = this.readBody(request, input);
    if (reading || input.sendsBytes) return this.later(context, input, reading);
    acceptQuery(request, input);
    return true;
  }

  /** @returns a promise when the body has not arrived yet */
  private readBody(request: Request, { body }: HandlerInput): Promise<void> | undefined {
    if (body === null) return undefined;
    if (body === 'refused') return refuseBody(request, this.limits.bodyLimitBytes);
    return typeof body === 'object'
      ? readBytesBody(request, body, this.memory)
      : readBody(request, body, this.limits.bodyLimitBytes);
  }

  private async recheck(context: ExecutionContext): Promise<void> {
    await this.caller.canActivate(context);
    this.keyRequired.canActivate(context);
  }

  private async later(
    context: ExecutionContext,
    input: HandlerInput,
    reading: Promise<void> | undefined,
  ): Promise<boolean> {
    const request = context.getArgByIndex<Request>(0);
    await reading;
    // The key may have ended in the meantime.
    if (hasArrivedLate(request)) await this.recheck(context);
    acceptQuery(request, input);
    if (!input.sendsBytes) return true;
    factsOf(request).reserve = (bytes) => this.memory.opened(request, bytes)(bytes);
    // Reading many bytes may take some milliseconds, so the requests of others are served between any two.
    await (this.turn = this.turn.then(() => nextTurn()));
    return true;
  }
}

/** @throws UnknownParameter for a query parameter that the operation does not have */
function acceptQuery(request: Request, { query }: HandlerInput): void {
  // Express parses the query when it is read.
  if (query === null || !request.url.includes('?')) return;
  const unknown = Object.keys(request.query).find((name) => !query.includes(name));
  if (unknown !== undefined) throw new UnknownParameter(unknown, query);
}
