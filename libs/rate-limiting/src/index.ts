export { addressSubject } from './address-subject.js';
export type { Ban, Usage, UsedWindow } from './stores/counter.js';
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
export { PlanThrottlerGuard } from './guard/plan-throttler.guard.js';
export { RATE_LIMIT_HEADERS } from './guard/rate-limit-headers.js';
export {
  budgetOf,
  RateLimit,
  type RateLimitOptions,
  type RoutedRequest,
} from './guard/rate-limit.decorator.js';
export type { BanState, RateLimitDecision, RefusalCode, WindowState } from './rate-limit-decision.js';
export { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
export { RateLimitStore, SubjectNotCounted, UnusableStore } from './rate-limit.store.js';
export type { RateSubject } from './rate-subject.js';
export { RateLimitingModule } from './rate-limiting.module.js';
export type { RateLimitingOptions } from './rate-limiting.options.js';
export { type BanRules, perDay, perMinute, type RatePlan, type RateWindow } from './rate-plan.js';
export { InvalidRedisUrl, readRedisUrl, type RedisAddress } from './redis/redis-url.js';
export type { RedisClient, RedisClusterClient } from './redis/redis-client.js';
export {
  type FoundBan,
  RedisRateLimitStore,
  type RedisRateLimitStoreOptions,
} from './redis/redis-rate-limit.store.js';
export { WriteBehind, type WriteBehindOptions } from './stores/write-behind.js';
