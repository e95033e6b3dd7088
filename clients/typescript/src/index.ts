export { animalStore } from './client.js';
export type { AnimalStore, AnimalStoreOptions } from './client.js';
export type { Deprecation } from './deprecation.js';
export * from './generated/errors.js';
export type { Operations, WebhookEvent } from './generated/operations.js';
export type { components } from './generated/schema.js';
export { toJson } from './json/json.js';
export type {
  CallOptions,
  ErrorCodeOf,
  Input,
  Item,
  ListName,
  Method,
  OperationName,
  Options,
  Output,
  Result,
} from './method.js';
export type { Limits, ResponseInfo, SentRequest } from './response-info.js';
export type { RetryOptions } from './retry.js';
export { InvalidWebhook, verify } from './webhook.js';
export type { VerifyOptions, WebhookHeaders } from './webhook.js';
export { NotModified, RateLimited, Redirected, StoreError, Unreachable } from './store.error.js';
