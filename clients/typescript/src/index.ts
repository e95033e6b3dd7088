export { animalStore } from './client.js';
export type { AnimalStore, AnimalStoreOptions, Deprecation } from './client.js';
export type { Answer, CallOptions, Input, ListName, OperationName } from './method.js';
export type { RetryOptions } from './retry.js';
export type { components } from './schema.js';
export { StoreError } from './store.error.js';
