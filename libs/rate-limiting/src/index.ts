export { addressSubject } from './address-subject.js';
export { CounterStore } from './counter.store.js';
export type { RateLimitDecision, RefusalCode } from './rate-limit-decision.js';
export {
  FallbackRateLimitStore,
  type FallbackRateLimitStoreOptions,
  type RemoteRateLimitStore,
} from './fallback-rate-limit.store.js';
export {
  MemoryRateLimitStore,
  type MemoryRateLimitStoreOptions,
  type SeenCounts,
  type SavedCounter,
} from './memory-rate-limit.store.js';
export type { HttpRequest, HttpResponse } from './http.js';
export { PlanThrottlerGuard } from './plan-throttler.guard.js';
export { RATE_LIMIT_HEADERS } from './rate-limit-headers.js';
export { RateLimit, type RateLimitOptions } from './rate-limit.decorator.js';
export { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
export { RateLimitStore } from './rate-limit.store.js';
export { RouteCosts } from './route-costs.js';
export { RateLimitingModule } from './rate-limiting.module.js';
export type { RateLimitingOptions } from './rate-limiting.options.js';
export { type BanRules, DEFAULT_BAN_RULES, type RatePlan } from './rate-plan.js';
export type { RateSubject } from './rate-subject.js';
export { RedisRateLimitStore, type RedisRateLimitStoreOptions } from './redis-rate-limit.store.js';
export { UnusableStore } from './unusable-store.js';
export type { Usage } from './usage.js';
export { WriteBehind, type WriteBehindOptions } from './write-behind.js';
