import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { addToHeader, type AnyResponse, oncePer, setHeader } from '@animal-store/kernel/http';

/** The options of one `@Deprecated` on a handler, with the header values ready to be sent. */
export interface DeprecatedOperation {
  /** The name of the handler's method. */
  readonly name: string;
  /** The query parameter that is deprecated; null when it is the whole operation. */
  readonly query: string | null;
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
const DEPRECATED_QUERIES = Symbol('deprecated query parameters');

export function markDeprecated(handler: object, operation: DeprecatedOperation): void {
  if (operation.query === null) Reflect.defineMetadata(DEPRECATED, operation, handler);
  else Reflect.defineMetadata(DEPRECATED_QUERIES, [...queriesOf(handler), operation], handler);
}

function queriesOf(handler: object): readonly DeprecatedOperation[] {
  return (
    (Reflect.getMetadata(DEPRECATED_QUERIES, handler) as readonly DeprecatedOperation[] | undefined) ?? []
  );
}

/** Whether anything of the handler is deprecated. */
export function hasDeprecated(handler: object): boolean {
  return isMarked(handler) || queriesOf(handler).length > 0;
}

export function isMarked(handler: object): boolean {
  return Reflect.hasMetadata(DEPRECATED, handler);
}

/** Looking up metadata takes longer, and a guard asks for each request. */
const marked = oncePer(
  (handler: object) => (Reflect.getMetadata(DEPRECATED, handler) as DeprecatedOperation | undefined) ?? null,
);

/** The `@Deprecated` options of this handler; undefined for any other handler. */
export function deprecatedOperation(handler: object): DeprecatedOperation | undefined {
  return marked(handler) ?? undefined;
}

const queries = oncePer(queriesOf);

/** What a request uses that is deprecated: the operation, and each such query parameter that it has. */
export function deprecatedIn(
  handler: object,
  request: { readonly query?: unknown },
): readonly DeprecatedOperation[] {
  const operation = marked(handler);
  const parameters = queries(handler);
  if (parameters.length === 0) return operation === null ? NONE : [operation];
  // Express parses it with each look at it.
  const sent = request.query ?? {};
  const used = parameters.filter(({ query }) => Object.hasOwn(sent, query!));
  return operation === null ? used : [operation, ...used];
}

const NONE: readonly DeprecatedOperation[] = [];

/**
 * Whether the operation of a handler has been removed, for guards that need not look at what is sent to it.
 *
 * @param nowMs milliseconds since the Unix epoch
 */
export function isRemoved(handler: object, nowMs: number): boolean {
  return nowMs >= (deprecatedOperation(handler)?.sunsetMs ?? Infinity);
}

/**
 * Sets `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, unless they are set already. For code that responds
 * before the guards. `Link` is appended, so other code must append its links too.
 */
export function setDeprecationHeaders(
  response: AnyResponse,
  { deprecationHeader, sunsetHeader, linkHeader }: DeprecatedOperation,
): void {
  if (response.hasHeader('Deprecation')) return;
  setHeader(response, 'Deprecation', deprecationHeader);
  if (sunsetHeader !== null) setHeader(response, 'Sunset', sunsetHeader);
  if (linkHeader !== null) addToHeader(response, 'Link', linkHeader);
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
    if (context.getType() !== 'http') return true;
    for (const operation of deprecatedIn(context.getHandler(), context.getArgByIndex(0)))
      setDeprecationHeaders(context.getArgByIndex<AnyResponse>(1), operation);
    return true;
  }
}
