import type { ServerResponse } from 'node:http';

/** What `@Deprecated` says of one handler, with its header values ready to be sent. */
export interface DeprecatedOperation {
  /** The name of the handler's method. */
  readonly name: string;
  /** Since when the operation is deprecated, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** From when on the operation is gone, in milliseconds since the Unix epoch; null when that is not decided. */
  readonly sunsetMs: number | null;
  /** What the 410 says from the sunset on; null when there is none. */
  readonly removedMessage: string | null;
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

/** What `@Deprecated` says of this handler; undefined for any other. */
export function deprecatedOperation(handler: object): DeprecatedOperation | undefined {
  return operations.get(handler);
}

/** @param nowMs milliseconds since the Unix epoch */
export function isRemoved({ sunsetMs }: DeprecatedOperation, nowMs: number): boolean {
  return sunsetMs !== null && nowMs >= sunsetMs;
}

/**
 * Sets `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, unless that has been done: for an exception filter, as
 * what guards refuse never comes to the interceptor. `Link` is appended to; code that adds links of its own must append
 * as well.
 */
export function setDeprecationHeaders(
  response: ServerResponse,
  { deprecationHeader, sunsetHeader, linkHeader }: DeprecatedOperation,
): void {
  if (response.hasHeader('Deprecation')) return;
  response.setHeader('Deprecation', deprecationHeader);
  if (sunsetHeader !== null) response.setHeader('Sunset', sunsetHeader);
  if (linkHeader !== null) response.appendHeader('Link', linkHeader);
}
