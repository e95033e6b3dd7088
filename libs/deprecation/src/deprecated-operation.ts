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

/** Metadata of the handler, so that a decorator that wraps it passes it on. */
const DEPRECATED = Symbol('deprecated');

export function markDeprecated(handler: object, operation: DeprecatedOperation): void {
  Reflect.defineMetadata(DEPRECATED, operation, handler);
}

/** Reading metadata is slower, and a guard reads this at each request. */
const operationOf = oncePer(
  (handler: object) => (Reflect.getMetadata(DEPRECATED, handler) ?? null) as DeprecatedOperation | null,
);

/** The `@Deprecated` options of this handler; undefined for any other handler. */
export function deprecatedOperation(handler: object): DeprecatedOperation | undefined {
  return operationOf(handler) ?? undefined;
}

/**
 * Whether the operation of a handler has been removed, for guards that skip the input of removed operations.
 *
 * @param nowMs milliseconds since the Unix epoch
 */
export function isRemoved(handler: object, nowMs: number): boolean {
  return nowMs >= (deprecatedOperation(handler)?.sunsetMs ?? Infinity);
}

/**
 * Sets `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, unless they are set already. `Link` is appended, so
 * other code must append its links too.
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

/** On the request: the deprecated operation that it calls. */
const OPERATION = Symbol('deprecated operation');
type Marked = AnyRequest & { [OPERATION]?: DeprecatedOperation };

/**
 * Marks a request for a deprecated operation, so that `announceDeprecation` knows it when a later guard refuses
 * the request: interceptors do not run then. Bind it first. It refuses nobody.
 */
@Injectable()
export class DeprecationMarkGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const operation = operationOf(context.getHandler());
    if (operation && context.getType() === 'http') context.getArgByIndex<Marked>(0)[OPERATION] = operation;
    return true;
  }
}

/** For the filter that sends errors: sets the headers for a marked request, unless they are set already. */
export function announceDeprecation(request: AnyRequest, response: AnyResponse): void {
  const { [OPERATION]: operation } = request as Marked;
  if (operation) setDeprecationHeaders(response, operation);
}
