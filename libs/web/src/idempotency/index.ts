export { DatabaseIdempotencyStore } from './database-idempotency.store.js';
export { IdempotencyModule } from './idempotency.module.js';
export { idempotencyTables } from './idempotency.tables.js';
