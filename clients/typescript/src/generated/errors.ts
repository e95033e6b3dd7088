// Generated from docs/openapi.json by "npm run dev -- client:generate"; changes made here are lost.

import { errorWith } from '../store.error.js';

/**
 * Every code that the service documents; `not_modified` for a 304, `unreachable` without a response, `redirected`
 * for a redirect, and `unknown` when something else than the service responded.
 */
export type ErrorCode =
  | 'api_key_banned'
  | 'api_key_not_found'
  | 'bad_request'
  | 'conflict'
  | 'daily_quota_exceeded'
  | 'delivery_not_found'
  | 'event_not_found'
  | 'exceeds_own_key'
  | 'first_response_withheld'
  | 'forbidden'
  | 'gone'
  | 'headers_too_large'
  | 'idempotency_in_progress'
  | 'idempotency_key_reused'
  | 'inactive_api_key'
  | 'insufficient_scope'
  | 'internal_error'
  | 'invalid_api_key'
  | 'invalid_cursor'
  | 'invalid_json'
  | 'invalid_parameter'
  | 'method_not_allowed'
  | 'missing_api_key'
  | 'not_acceptable'
  | 'not_found'
  | 'operation_removed'
  | 'order_not_found'
  | 'order_not_open'
  | 'own_key_needs_grace'
  | 'payload_too_large'
  | 'pet_not_available'
  | 'pet_not_found'
  | 'precondition_failed'
  | 'precondition_required'
  | 'rate_limit_exceeded'
  | 'request_timeout'
  | 'route_not_found'
  | 'service_unavailable'
  | 'too_many_keys'
  | 'too_many_webhooks'
  | 'unauthorized'
  | 'unknown_pet'
  | 'unprocessable'
  | 'unsupported_media_type'
  | 'uri_too_long'
  | 'validation_failed'
  | 'webhook_not_found'
  | 'not_modified'
  | 'redirected'
  | 'unreachable'
  | 'unknown';

/** 429: The caller continued after 429s and is banned temporarily. */
export const ApiKeyBanned = /* @__PURE__ */ errorWith('api_key_banned');
export type ApiKeyBanned = InstanceType<typeof ApiKeyBanned>;

/** 404: No key of this account has this id. */
export const ApiKeyNotFound = /* @__PURE__ */ errorWith('api_key_not_found');
export type ApiKeyNotFound = InstanceType<typeof ApiKeyNotFound>;

/** 429: The requests of this day (UTC) are used up. */
export const DailyQuotaExceeded = /* @__PURE__ */ errorWith('daily_quota_exceeded');
export type DailyQuotaExceeded = InstanceType<typeof DailyQuotaExceeded>;

/** 404: No delivery of this webhook has this id. */
export const DeliveryNotFound = /* @__PURE__ */ errorWith('delivery_not_found');
export type DeliveryNotFound = InstanceType<typeof DeliveryNotFound>;

/** 404: No event that the account may read has this id. */
export const EventNotFound = /* @__PURE__ */ errorWith('event_not_found');
export type EventNotFound = InstanceType<typeof EventNotFound>;

/** 403: The key would have more rights, such as scopes or a larger plan, or a later expiry than the key that makes it. */
export const ExceedsOwnKey = /* @__PURE__ */ errorWith('exceeds_own_key');
export type ExceedsOwnKey = InstanceType<typeof ExceedsOwnKey>;

/** 409: Another API key of the account has done this with the same `Idempotency-Key`, and the response shows a secret. */
export const FirstResponseWithheld = /* @__PURE__ */ errorWith('first_response_withheld');
export type FirstResponseWithheld = InstanceType<typeof FirstResponseWithheld>;

/** 409: A request with the same `Idempotency-Key` is still running. */
export const IdempotencyInProgress = /* @__PURE__ */ errorWith('idempotency_in_progress');
export type IdempotencyInProgress = InstanceType<typeof IdempotencyInProgress>;

/** 422: The `Idempotency-Key` was used for another request. */
export const IdempotencyKeyReused = /* @__PURE__ */ errorWith('idempotency_key_reused');
export type IdempotencyKeyReused = InstanceType<typeof IdempotencyKeyReused>;

/** 409: The key, or the acting one, is expired, revoked or already replaced. */
export const InactiveApiKey = /* @__PURE__ */ errorWith('inactive_api_key');
export type InactiveApiKey = InstanceType<typeof InactiveApiKey>;

/** 403: The API key does not have a scope that the operation needs. */
export const InsufficientScope = /* @__PURE__ */ errorWith('insufficient_scope');
export type InsufficientScope = InstanceType<typeof InsufficientScope>;

/** 500: The service failed. Its log has the cause under the `X-Request-Id`. */
export const InternalError = /* @__PURE__ */ errorWith('internal_error');
export type InternalError = InstanceType<typeof InternalError>;

/** 401: The key is unknown, expired or revoked, or belongs to another environment. */
export const InvalidApiKey = /* @__PURE__ */ errorWith('invalid_api_key');
export type InvalidApiKey = InstanceType<typeof InvalidApiKey>;

/** 400: The cursor was altered or is from another list or filter. */
export const InvalidCursor = /* @__PURE__ */ errorWith('invalid_cursor');
export type InvalidCursor = InstanceType<typeof InvalidCursor>;

/** 400: The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII. */
export const InvalidParameter = /* @__PURE__ */ errorWith('invalid_parameter');
export type InvalidParameter = InstanceType<typeof InvalidParameter>;

/** 401: No API key was sent. */
export const MissingApiKey = /* @__PURE__ */ errorWith('missing_api_key');
export type MissingApiKey = InstanceType<typeof MissingApiKey>;

/** 410: The operation has been removed. */
export const OperationRemoved = /* @__PURE__ */ errorWith('operation_removed');
export type OperationRemoved = InstanceType<typeof OperationRemoved>;

/** 404: No order of this account has this id. */
export const OrderNotFound = /* @__PURE__ */ errorWith('order_not_found');
export type OrderNotFound = InstanceType<typeof OrderNotFound>;

/** 409: The order is completed or cancelled already. */
export const OrderNotOpen = /* @__PURE__ */ errorWith('order_not_open');
export type OrderNotOpen = InstanceType<typeof OrderNotOpen>;

/** 409: A key would replace itself without a grace period. */
export const OwnKeyNeedsGrace = /* @__PURE__ */ errorWith('own_key_needs_grace');
export type OwnKeyNeedsGrace = InstanceType<typeof OwnKeyNeedsGrace>;

/** 413: The body is too large. */
export const PayloadTooLarge = /* @__PURE__ */ errorWith('payload_too_large');
export type PayloadTooLarge = InstanceType<typeof PayloadTooLarge>;

/** 409: The animal is not available. */
export const PetNotAvailable = /* @__PURE__ */ errorWith('pet_not_available');
export type PetNotAvailable = InstanceType<typeof PetNotAvailable>;

/** 404: No animal has this id. */
export const PetNotFound = /* @__PURE__ */ errorWith('pet_not_found');
export type PetNotFound = InstanceType<typeof PetNotFound>;

/** 412: The resource does not have the `ETag` of the `If-Match`: it has changed. */
export const PreconditionFailed = /* @__PURE__ */ errorWith('precondition_failed');
export type PreconditionFailed = InstanceType<typeof PreconditionFailed>;

/** 429: The requests of this minute are used up. */
export const RateLimitExceeded = /* @__PURE__ */ errorWith('rate_limit_exceeded');
export type RateLimitExceeded = InstanceType<typeof RateLimitExceeded>;

/** 408: The request did not arrive in time. */
export const RequestTimeout = /* @__PURE__ */ errorWith('request_timeout');
export type RequestTimeout = InstanceType<typeof RequestTimeout>;

/** 503: The database of the service cannot be used. */
export const ServiceUnavailable = /* @__PURE__ */ errorWith('service_unavailable');
export type ServiceUnavailable = InstanceType<typeof ServiceUnavailable>;

/** 409: The account has as many active keys as it may make itself, or has made as many in a day. */
export const TooManyKeys = /* @__PURE__ */ errorWith('too_many_keys');
export type TooManyKeys = InstanceType<typeof TooManyKeys>;

/** 409: The account has as many webhooks as it may have. */
export const TooManyWebhooks = /* @__PURE__ */ errorWith('too_many_webhooks');
export type TooManyWebhooks = InstanceType<typeof TooManyWebhooks>;

/** 400: No animal has this `petId`. */
export const UnknownPet = /* @__PURE__ */ errorWith('unknown_pet');
export type UnknownPet = InstanceType<typeof UnknownPet>;

/** 400: The request has a body; the operation accepts none. */
export const ValidationFailed = /* @__PURE__ */ errorWith('validation_failed');
export type ValidationFailed = InstanceType<typeof ValidationFailed>;

/** 404: No webhook of this account has this id. */
export const WebhookNotFound = /* @__PURE__ */ errorWith('webhook_not_found');
export type WebhookNotFound = InstanceType<typeof WebhookNotFound>;
