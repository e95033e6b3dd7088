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

export function deprecatedOperation(handler: object): DeprecatedOperation | undefined {
  return operations.get(handler);
}
