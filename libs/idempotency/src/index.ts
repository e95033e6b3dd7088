export { IdempotencyModule } from './idempotency.module.js';
export { Idempotency } from './idempotency.js';
export {
  type Claim,
  type FirstResponse,
  type IdempotencyKey,
  IdempotencyStore,
} from './idempotency.store.js';
export { Idempotent, InTransaction, isIdempotent } from './idempotent.decorator.js';
export { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED } from './idempotent-request.js';
