export { IdempotencyRecord } from './idempotency.record.js';
export { idempotencyTables } from './idempotency.tables.js';
export { TypeOrmIdempotencyStore } from './typeorm-idempotency.store.js';
