import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import {
  addToHeader,
  type AnyRequest,
  type AnyResponse,
  oncePer,
  setHeader,
} from '@animal-store/kernel/http';

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
const DEPRECATED = Symbol('deprecated');

/** What is deprecated of a handler: itself, if it is, and query parameters. */
function marksOf(handler: object): readonly DeprecatedOperation[] {
  return (Reflect.getMetadata(DEPRECATED, handler) as readonly DeprecatedOperation[] | undefined) ?? [];
}

const isOperation = ({ query }: DeprecatedOperation) => query === null;

/** The operation comes first, as its headers are set before those of parameters. */
export function markDeprecated(handler: object, mark: DeprecatedOperation): void {
  const others = marksOf(handler).filter(({ query }) => query !== null || mark.query !== null);
  Reflect.defineMetadata(DEPRECATED, mark.query === null ? [mark, ...others] : [...others, mark], handler);
}

/** Whether anything of the handler is deprecated. */
export function hasDeprecated(handler: object): boolean {
  return marksOf(handler).length > 0;
}

export function isMarked(handler: object): boolean {
  return marksOf(handler).some(isOperation);
}

/** Looking up metadata takes longer, and a guard asks for each request. */
const marks = oncePer((handler: object) => {
  const all = marksOf(handler);
  return { all, operation: all.find(isOperation), hasQueries: !all.every(isOperation) };
});

/** The `@Deprecated` options of this handler; undefined for any other handler. */
export function deprecatedOperation(handler: object): DeprecatedOperation | undefined {
  return marks(handler).operation;
}

/** What a request uses that is deprecated: the operation, and each such query parameter that it has. */
export function deprecatedIn(
  handler: object,
  request: { readonly query?: unknown },
): readonly DeprecatedOperation[] {
  const { all, hasQueries } = marks(handler);
  if (!hasQueries) return all;
  // Express parses it with each look at it.
  const sent = request.query ?? {};
  return all.filter(({ query }) => query === null || Object.hasOwn(sent, query));
}

/**
 * Whether the operation of a handler has been removed, for guards that need not look at what is sent to it.
 *
 * @param nowMs milliseconds since the Unix epoch
 */
export function isRemoved(handler: object, nowMs: number): boolean {
  return nowMs >= (deprecatedOperation(handler)?.sunsetMs ?? Infinity);
}

/**
 * Sets `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, unless they are set already. `Link` is appended, so other
 * code must append its links too.
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

/** On the request: its handler, of which something is deprecated. */
const HANDLER = Symbol('deprecated handler');
type Marked = AnyRequest & { readonly query?: unknown; [HANDLER]?: object };

/**
 * Marks a request whose handler has something deprecated, so that `announceDeprecation` knows it when a later guard refuses
 * the request: interceptors do not run then. Bind it first. It refuses nobody.
 *
 * @example
 * ```ts
 * imports: [HttpErrorsModule.forRoot({ beforeSend: announceDeprecation })],
 * providers: [
 *   { provide: APP_GUARD, useClass: DeprecationMarkGuard },
 *   { provide: APP_GUARD, useClass: KeyGuard },
 * ]
 * ```
 */
@Injectable()
export class DeprecationMarkGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    if (context.getType() === 'http' && marks(handler).all.length > 0)
      context.getArgByIndex<Marked>(0)[HANDLER] = handler;
    return true;
  }
}

/** For the filter that sends errors: sets the headers of what a marked request uses, unless they are set already. */
export function announceDeprecation(request: AnyRequest, response: AnyResponse): void {
  const { [HANDLER]: handler } = request as Marked;
  if (handler === undefined) return;
  for (const operation of deprecatedIn(handler, request as Marked))
    setDeprecationHeaders(response, operation);
}
