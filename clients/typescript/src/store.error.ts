/** What the service says when it refuses a request. */
export class StoreError extends Error {
  override readonly name = 'StoreError';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The machine-readable code, such as `pet_not_found`; `unknown` when something else than the service answered. */
    readonly code: string,
    message: string,
    /** Under which the service logged the request. */
    readonly requestId: string | null,
    /** After how many milliseconds it may be tried again, where the answer says so. */
    readonly retryAfterMs: number | null,
  ) {
    super(message);
  }
}
