export { addressSubject } from './address-subject.js';
export {
  type Ban,
  Counter,
  type ListedQuota,
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
export { PlanThrottlerGuard } from './guard/plan-throttler.guard.js';
export { RATE_LIMIT_HEADERS } from './guard/rate-limit-headers.js';
export {
  RateLimit,
  type RateLimitOptions,
  ROUTE_APART,
  type RouteApart,
  type RoutedRequest,
} from './guard/rate-limit.decorator.js';
export { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
export { RateLimitStore, type RateSubject, SubjectNotCounted, UnusableStore } from './rate-limit.store.js';
export { RateLimitingModule } from './rate-limiting.module.js';
export type { RateLimitingOptions } from './rate-limiting.options.js';
export { type BanRules, DEFAULT_BAN_RULES, type RatePlan, type RateWindow } from './rate-plan.js';
export { InvalidRedisUrl, readRedisUrl, type RedisAddress } from './redis/redis-url.js';
export type { RedisClient, RedisClusterClient } from './redis/redis-client.js';
export { RedisRateLimitStore, type RedisRateLimitStoreOptions } from './redis/redis-rate-limit.store.js';
export { WriteBehind, type WriteBehindOptions } from './stores/write-behind.js';
export type { WindowCount, WindowState } from './stores/window-list.js';
