import { appendHeader, type HttpResponse, setHeader } from './http.js';

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
  /** Value of the `Deprecation` header. */
  readonly deprecationHeader: string;
  /** Value of the `Sunset` header. */
  readonly sunsetHeader: string | null;
  /** Value of the `Link` header. */
  readonly linkHeader: string | null;
}

const operations = new WeakMap<object, DeprecatedOperation>();

export function markDeprecated(handler: object, operation: DeprecatedOperation): void {
  operations.set(handler, operation);
}

/** The `@Deprecated` options of this handler; undefined for any other handler. */
export function deprecatedOperation(handler: object): DeprecatedOperation | undefined {
  return operations.get(handler);
}

/** @param nowMs milliseconds since the Unix epoch */
export function isRemoved({ sunsetMs }: DeprecatedOperation, nowMs: number): boolean {
  return sunsetMs !== null && nowMs >= sunsetMs;
}

/**
 * Sets `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, unless they are set already. For code that responds before
 * the interceptor runs. `Link` is appended, so other code must append its
 * links too.
 */
export function setDeprecationHeaders(
  response: HttpResponse,
  { deprecationHeader, sunsetHeader, linkHeader }: DeprecatedOperation,
): void {
  if (response.hasHeader('Deprecation')) return;
  setHeader(response, 'Deprecation', deprecationHeader);
  if (sunsetHeader !== null) setHeader(response, 'Sunset', sunsetHeader);
  if (linkHeader !== null) appendHeader(response, 'Link', linkHeader);
}
