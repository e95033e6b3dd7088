export { Clock, DAY_MS, SystemClock } from './clock.js';
export { DomainError } from './domain-error.js';
export type { DomainErrorClass, DomainErrorKind } from './domain-error.js';
export { INT64_MAX, INT64_MIN, isInt64, parseInt64 } from './int64.js';
export { isFractional, parseJson, toJson } from './json.js';
export { frozenPage, mapPage, pageOf } from './page.js';
export type { Page, PageRequest, Place, SortedPageRequest } from './page.js';
export { StorageUnavailable } from './storage-unavailable.js';
export { Transaction, UnitOfWork } from './unit-of-work.js';
