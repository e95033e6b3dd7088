export { animalStore } from './client.js';
export type { AnimalStore, AnimalStoreOptions } from './client.js';
export type { Deprecation } from './deprecation.js';
export * from './generated/errors.js';
export type { Operations } from './generated/operations.js';
export type { components } from './generated/schema.js';
export { toJson } from './json/json.js';
export type {
  CallOptions,
  Input,
  Item,
  ListName,
  Method,
  OperationName,
  Options,
  Output,
  Result,
} from './method.js';
export type { Limits, ResponseInfo } from './response-info.js';
export type { RetryOptions } from './retry.js';
export { NotModified, RateLimited, StoreError, Unreachable } from './store.error.js';
