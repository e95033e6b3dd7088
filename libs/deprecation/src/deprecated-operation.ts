import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';

/** The options of `@Deprecated` on one handler, with the header values ready to be sent. */
export interface DeprecatedOperation {
  /** The name of the handler's method. */
  readonly name: string;
  /** When the operation was deprecated, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** When the operation is removed, in milliseconds since the Unix epoch; null when that is not decided. */
  readonly sunsetMs: number | null;
  /** The message of the 410 after the sunset; null without a sunset. */
  readonly removedMessage: string | null;
  /** The replacement: a path or URL; null without one. */
  readonly successor: string | null;
  /** The values of the headers. */
  readonly deprecationHeader: string;
  readonly sunsetHeader: string | null;
  readonly linkHeader: string | null;
}

/** Metadata of the handler, so that a decorator that wraps it hands it on. */
const DEPRECATED = Symbol('deprecated operation');

export function markDeprecated(handler: object, operation: DeprecatedOperation): void {
  Reflect.defineMetadata(DEPRECATED, operation, handler);
}

/** Looking up metadata takes longer, and a guard asks for each request. */
const cache = new WeakMap<object, DeprecatedOperation | null>();

/** The `@Deprecated` options of this handler; undefined for any other handler. */
export function deprecatedOperation(handler: object): DeprecatedOperation | undefined {
  let operation = cache.get(handler);
  if (operation === undefined) {
    operation = (Reflect.getMetadata(DEPRECATED, handler) as DeprecatedOperation | undefined) ?? null;
    cache.set(handler, operation);
  }
  return operation ?? undefined;
}

/**
 * Whether the operation of a handler has been removed, for guards that need not look at what is sent to it.
 *
 * @param nowMs milliseconds since the Unix epoch
 */
export function isRemoved(handler: object, nowMs: number): boolean {
  return nowMs >= (deprecatedOperation(handler)?.sunsetMs ?? Infinity);
}

/** The reply of Fastify. Its headers replace those of Node's response when it is sent. */
interface FastifyReply extends Pick<ServerResponse, 'getHeader' | 'hasHeader'> {
  header(name: string, value: string | string[]): unknown;
}

/**
 * Sets `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, unless they are set already. For code that responds
 * before the guards. `Link` is appended, so other code must append its links too.
 */
export function setDeprecationHeaders(
  response: ServerResponse | FastifyReply,
  { deprecationHeader, sunsetHeader, linkHeader }: DeprecatedOperation,
): void {
  if (response.hasHeader('Deprecation')) return;
  const set = (name: string, value: string | string[]): unknown =>
    'setHeader' in response ? response.setHeader(name, value) : response.header(name, value);
  set('Deprecation', deprecationHeader);
  if (sunsetHeader !== null) set('Sunset', sunsetHeader);
  if (linkHeader === null) return;
  const others = response.getHeader('Link');
  set('Link', others === undefined ? linkHeader : [others, linkHeader].flat().map(String));
}

/**
 * Sets the deprecation headers before other guards refuse the request, so that a 401 or 429 has them too. Bind it first.
 * It refuses nobody.
 *
 * @example
 * ```ts
 * providers: [
 *   { provide: APP_GUARD, useClass: DeprecationHeadersGuard },
 *   { provide: APP_GUARD, useClass: KeyGuard },
 * ]
 * ```
 */
@Injectable()
export class DeprecationHeadersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const operation = deprecatedOperation(context.getHandler());
    if (operation && context.getType() === 'http') {
      setDeprecationHeaders(context.getArgByIndex<ServerResponse>(1), operation);
    }
    return true;
  }
}
