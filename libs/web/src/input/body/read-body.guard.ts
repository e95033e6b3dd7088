import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import { refuseMalformedPath, type Route, type RouteTable } from '@animal-store/http-errors';
import { perRoute } from '@animal-store/kernel/http';
import { parametersOf } from '../../handler-parameters.js';
import { UnknownParameter, UnsupportedHeader } from '../../responses/http.errors.js';
import { StreamSignal } from '../../streams/hold-open.js';
import { ReadLastEventId } from '../../streams/last-event-id.js';
import { type IfMatchOptions, ReadIfMatch } from '../../responses/conditions/if-match.js';
import { ReadIfNoneMatch } from '../../responses/conditions/if-none-match.js';
import { factsOf } from '../../request-facts.js';
import { BodyMemory } from './body-memory.js';
import { BytesTurns } from './bytes-turns.js';
import { type BytesBodyOptions, ReadBytes, sendsBytes } from './bytes-body.js';
import { type BodyNeed, hasArrivedLate, readBody, readBytesBody } from './request-body.js';
import { VERSION_PREFIX } from '../../versioning.js';

/** What a handler takes, as its parameters declare it. */
interface Input {
  /** Null for a handler that sees no body. */
  readonly body: BodyNeed | BytesBodyOptions | null;
  /** Whether it has no query parameter. It would ignore a misspelled one. */
  readonly refusesQuery: boolean;
  readonly sendsBytes: boolean;
  /** What it would ignore, to the harm of another caller. */
  readonly refusedHeaders: readonly ('if-match' | 'if-none-match' | 'content-range')[];
}

const NONE: Input = { body: null, refusesQuery: false, sendsBytes: false, refusedHeaders: [] };
/** Requests with these methods change nothing. */
const SAFE = ['GET', 'HEAD', 'OPTIONS', 'ALL'];

export interface ReadBodyOptions {
  readonly routes: RouteTable;
  /** The largest body, but of operations with a limit of their own. */
  readonly bodyLimitBytes: number;
  /** The most memory for the bodies of these, together. */
  readonly bodyMemoryBytes: number;
  /** Further decorators of parameters that never look at the body, made by `createParamDecorator`. */
  readonly bodiless: readonly (() => ParameterDecorator)[];
  /** Whether the operation of a handler has been removed: its response is the same whatever is sent, so nothing is read. */
  readonly isRemoved: (handler: Route['handler']) => boolean;
  /** Checks the key again, as it may have ended while a body arrived. It throws, or rejects, as the guards do. */
  readonly recheck: (context: ExecutionContext) => boolean | Promise<boolean>;
}

/**
 * The last global guard. The caller may use the operation, so the request itself is looked at now: its path, its body
 * and its query. Interceptors, pipes, handlers and the guards of a controller find `request.body` and `request.rawBody`
 * as in every Nest application.
 *
 * It reads only for handlers that can see a body: those with `@Body()` or `@RawBody()`, and, as Nest's parser does, JSON
 * for those with the request or a parameter decorator of the application. `@BytesBody()` has types and a limit of its own.
 * Other content stays a stream, which a handler or an interceptor such as FileInterceptor reads itself.
 *
 * An operation of the API without query parameters refuses all, unless it has the request. One that changes something also
 * refuses the conditions of `@IfMatch()` that it does not have, and a PUT a `Content-Range`.
 *
 * A key that ends while the body arrives is refused. Whoever reads a stream checks that for itself.
 *
 * @throws MalformedPath, UnsupportedHeader, then UnsupportedMediaType, PayloadTooLarge, InvalidJson for the body, then
 *   UnknownParameter
 */
export class ReadBodyGuard implements CanActivate {
  private readonly inputOf = perRoute((controller: object, handler: object) => {
    // The routes of requests that match no other are not in the table.
    const route = this.options.routes.routes.find(
      (one) => one.handler === handler && one.controller === controller,
    );
    return route ? this.read(route) : NONE;
  });
  private readonly bodiless: readonly unknown[];
  private readonly ofBytes = factoryOf(ReadBytes);
  private readonly ofIfMatch = factoryOf(ReadIfMatch as () => ParameterDecorator);
  /** Of the bodies of bytes, and of bytes that are sent. */
  readonly memory: BodyMemory;
  private readonly turns = new BytesTurns();

  constructor(private readonly options: ReadBodyOptions) {
    this.memory = new BodyMemory(options.bodyMemoryBytes);
    const own = [ReadIfNoneMatch, StreamSignal, ReadLastEventId].map(factoryOf);
    this.bodiless = [...options.bodiless.map(factoryOf), this.ofIfMatch, ...own];
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const handler = context.getHandler() as Route['handler'];
    if (this.options.isRemoved(handler)) return true;
    const request = context.getArgByIndex<Request>(0);
    refuseMalformedPath(request);
    const { body, refusesQuery, sendsBytes, refusedHeaders } = this.inputOf(context);
    for (const name of refusedHeaders)
      if (request.headers[name] !== undefined) throw new UnsupportedHeader(name);
    if (sendsBytes) factsOf(request).takeRoom = (bytes) => this.memory.opened(request, bytes)(bytes);
    const reading = body === null ? undefined : this.readBody(request, body);
    if (!reading && !sendsBytes) return acceptQuery(request, refusesQuery);
    return this.whenRead(context, reading).then(async () => {
      acceptQuery(request, refusesQuery);
      if (sendsBytes) await this.turns.next();
      return true;
    });
  }

  private async whenRead(context: ExecutionContext, reading: Promise<void> | undefined): Promise<void> {
    await reading;
    if (hasArrivedLate(context.getArgByIndex<Request>(0))) await this.options.recheck(context);
  }

  private readBody(request: Request, need: BodyNeed | BytesBodyOptions): Promise<void> | undefined {
    return typeof need === 'object'
      ? readBytesBody(request, need, this.memory)
      : readBody(request, need, this.options.bodyLimitBytes);
  }

  private read({ controller, handler, path, method }: Route): Input {
    const all = parametersOf(controller, handler.name);
    const parameters = all.filter(({ factory }) => !this.bodiless.includes(factory));
    const has = (...kinds: RouteParamtypes[]) => parameters.some(({ kind }) => kinds.includes(kind));
    const { BODY, RAW_BODY, QUERY, REQUEST, HEADERS, FILE, FILES } = RouteParamtypes;
    const isOffered = has(REQUEST, FILE, FILES) || parameters.some(({ factory }) => factory !== undefined);
    let body: Input['body'] = isOffered ? 'offered' : null;
    if (has(RAW_BODY)) body = 'bytes';
    // The other fields of a form with files.
    if (has(BODY) && !has(FILE, FILES)) body = 'json';
    const bytes = parameters.find(({ factory }) => factory === this.ofBytes);
    if (bytes) body = bytes.data as BytesBodyOptions;
    const refusesQuery = path.startsWith(`${VERSION_PREFIX}/`) && !has(QUERY, REQUEST);
    const isOther = parameters.some(({ factory }) => factory !== undefined && factory !== this.ofBytes);
    const readsHeaders = has(REQUEST, HEADERS) || isOther;
    const ifMatch = all.find(({ factory }) => factory === this.ofIfMatch)?.data as
      IfMatchOptions<never> | undefined;
    const refusedHeaders: Input['refusedHeaders'] =
      readsHeaders || SAFE.includes(method)
        ? []
        : [
            ...(ifMatch ? [] : (['if-match'] as const)),
            ...(ifMatch?.ifNoneMatch ? [] : (['if-none-match'] as const)),
            ...(method === 'PUT' ? (['content-range'] as const) : []),
          ];
    return { body, refusesQuery, sendsBytes: sendsBytes(handler), refusedHeaders };
  }
}

/** The function behind a decorator of the application. */
function factoryOf(decorator: () => ParameterDecorator): unknown {
  class Probe {
    probe(@decorator() value: unknown): unknown {
      return value;
    }
  }
  return parametersOf(Probe, 'probe')[0]?.factory;
}

/** @throws UnknownParameter for a query parameter of an operation that has none */
function acceptQuery(request: Request, refusesQuery: boolean): true {
  // Express parses the query when it is asked for it.
  const [name] = refusesQuery && request.url.includes('?') ? Object.keys(request.query) : [];
  if (name !== undefined) throw new UnknownParameter(name);
  return true;
}
