import type { ErrorCode } from './generated/errors.js';
import type { Limits } from './response-info.js';

/** Shared by both builds of this package, as one program may load both. */
const IS_STORE_ERROR = Symbol.for('animal-store-client');

/**
 * The error of a call that failed: the service refused it, or did not respond. Its `name` is that of the class of its
 * code: `PetNotFound`.
 */
export class StoreError extends Error {
  constructor(
    /** The HTTP status; 0 without a response. */
    readonly status: number,
    /**
     * The machine-readable code, such as `pet_not_found`; `unreachable` without a response, `redirected` for a
     * redirect, and `unknown` when something else than the service responded. A newer service may send codes that this
     * version does not list.
     */
    readonly code: ErrorCode,
    message: string,
    /** The id under which the service logged the request. */
    readonly requestId: string | null = null,
    /** The milliseconds after which the request may be repeated, if the response says so. */
    readonly retryAfterMs: number | null = null,
    /** The rate limit after this request, if the response has one. */
    readonly limits: Limits | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    if (code !== 'unknown' && /^[a-z]+(_[a-z]+)*$/.test(code)) {
      this.name = code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    }
  }

  override name = 'StoreError';

  get [IS_STORE_ERROR](): true {
    return true;
  }

  /** An error of the CommonJS build is a `StoreError` of the ES module too, and the other way round. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this === StoreError) return value instanceof Error && IS_STORE_ERROR in value;
    return super[Symbol.hasInstance](value);
  }
}

/**
 * A class for `instanceof`: its instances are the `StoreError`s with this code or status, of either build. Bundlers
 * leave out those that nothing imports: each call of this is marked.
 */
export function errorWith<const Fact extends ErrorCode | number>(
  fact: Fact,
): abstract new (
  ...args: never
) => StoreError & { readonly [Field in Fact extends number ? 'status' : 'code']: Fact } {
  return class extends StoreError {
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof StoreError && [value.code, value.status].includes(fact);
    }
  } as never;
}

/** 429: the requests of the minute or of the day are used up, or the caller is banned. */
export const RateLimited = /* @__PURE__ */ errorWith(429);
export type RateLimited = InstanceType<typeof RateLimited>;

/** 304: what the caller has, according to `ifNoneMatch`, is still current. */
export const NotModified = /* @__PURE__ */ errorWith('not_modified');
export type NotModified = InstanceType<typeof NotModified>;

/** There was no response: `cause` is the error of `fetch`. */
export const Unreachable = /* @__PURE__ */ errorWith('unreachable');
export type Unreachable = InstanceType<typeof Unreachable>;

/** The response was a redirect, which the client does not follow. In a browser its `status` is 0. */
export const Redirected = /* @__PURE__ */ errorWith('redirected');
export type Redirected = InstanceType<typeof Redirected>;

/** @param cause the error of `fetch` */
export function unreachable(subject: string, cause: unknown): StoreError {
  // Node's fetch says only "fetch failed", and why in its cause.
  const inner = (cause as { cause?: { message?: string; code?: string } } | undefined)?.cause;
  const message = `${subject} got no response: ${inner?.message || inner?.code || String(cause)}`;
  return new StoreError(0, 'unreachable', message, null, null, null, { cause });
}
