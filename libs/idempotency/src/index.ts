export { IdempotencyModule } from './idempotency.module.js';
export { IdempotencyInProgress, IdempotencyKeyReused } from './idempotency.errors.js';
export { Idempotency, type OnceResult, type StorableResponse } from './idempotency.js';
export { Idempotent } from './idempotent.decorator.js';
export { IdempotencyRepository } from './infrastructure/idempotency.repository.js';
export { idempotencyTables } from './infrastructure/idempotency.tables.js';
