import type { Limits } from './limits.js';
import type { ErrorCode } from './operations.js';

/** Shared by both builds of this package, as one program may load both. */
const IS_STORE_ERROR = Symbol.for('animal-store-client.StoreError');

/** The error with which the service refused a request. */
export class StoreError extends Error {
  override readonly name = 'StoreError';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /**
     * The machine-readable code, such as `pet_not_found`; `unknown` when something else than the service responded.
     * A newer service may send codes that this version does not list.
     */
    readonly code: ErrorCode,
    message: string,
    /** The id under which the service logged the request. */
    readonly requestId: string | null,
    /** The milliseconds after which it may be tried again, if the response says so. */
    readonly retryAfterMs: number | null,
    /** The rate limit after this request, if the response has one. */
    readonly limits: Limits | null,
  ) {
    super(message);
    Object.defineProperty(this, IS_STORE_ERROR, { value: true });
  }

  /** An error of the CommonJS build is a `StoreError` of the ES module too, and the other way round. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this === StoreError) return value instanceof Error && IS_STORE_ERROR in value;
    return Function.prototype[Symbol.hasInstance].call(this, value);
  }
}
