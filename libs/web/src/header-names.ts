/** The headers of this service itself, as responses and the OpenAPI document spell them. Node's requests have them in lower case. */
export const REQUEST_ID = 'X-Request-Id';
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';
