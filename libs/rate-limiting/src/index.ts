export { addressSubject } from './address-subject.js';
export {
  type Ban,
  Counter,
  Penalty,
  type QuotaWindow,
  refusalsUntilBan,
  type RateLimitDecision,
  type RefusalCode,
  type Usage,
} from './stores/plan-window.js';
export {
  FallbackRateLimitStore,
  type FallbackRateLimitStoreOptions,
  type RemoteRateLimitStore,
} from './stores/fallback-rate-limit.store.js';
export {
  type CounterRow,
  CounterStore,
  MemoryRateLimitStore,
  type MemoryRateLimitStoreOptions,
} from './stores/memory-rate-limit.store.js';
export { PlanThrottlerGuard, RATE_LIMIT_HEADERS } from './plan-throttler.guard.js';
export {
  RateLimit,
  type RateLimitOptions,
  ROUTE_APART,
  type RouteApart,
  type RoutedRequest,
} from './rate-limit.decorator.js';
export { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
export { RateLimitStore, type RateSubject, SubjectNotCounted, UnusableStore } from './rate-limit.store.js';
export { RateLimitingModule } from './rate-limiting.module.js';
export type { RateLimitingOptions } from './rate-limiting.options.js';
export { type BanRules, DEFAULT_BAN_RULES, type RatePlan } from './rate-plan.js';
export { RedisRateLimitStore, type RedisRateLimitStoreOptions } from './stores/redis-rate-limit.store.js';
export { WriteBehind, type WriteBehindOptions } from './stores/write-behind.js';
