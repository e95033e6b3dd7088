import type { IncomingMessage } from 'node:http';
import { ConfigurableModuleBuilder, type ExecutionContext } from '@nestjs/common';
import type { BanState, RefusalCode } from './rate-limit-decision.js';
import type { RateLimitStore } from './rate-limit.store.js';
import type { RateSubject } from './rate-subject.js';

/**
 * Callbacks get the request as guards do: that of Express, or that of Fastify, which has its `headers`, `method`,
 * `socket` and `url` too.
 */
export interface RateLimitingOptions {
  /** Where requests are counted. Default: a new `MemoryRateLimitStore`. */
  store?: RateLimitStore;
  /**
   * The subject of `request`. Called once per request: cache what you can (see RateSubject), and return a promise only
   * when it must be looked up.
   */
  subjectOf(request: IncomingMessage): RateSubject | Promise<RateSubject>;
  /** Requests that are not limited at all, and whose responses have no headers, as with `@SkipThrottle()`. */
  skipIf?(context: ExecutionContext): boolean;
  /** The time in milliseconds since the Unix epoch. Default: `Date.now`. */
  now?: () => number;
  /**
   * Called with every decision, for metrics: `allowed` or the code of the refusal, and the label of the subject. Must
   * not throw.
   */
  onDecision?: (outcome: RefusalCode | 'allowed', label: string) => void;
  /** Called when a ban of a caller begins. Must not throw. */
  onBan?: (ban: BanState, subject: RateSubject) => void;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: RATE_LIMITING_OPTIONS } =
  new ConfigurableModuleBuilder<RateLimitingOptions>({ moduleName: 'RateLimiting' })
    .setClassMethodName('forRoot')
    // Global, the guard can be used with `@UseGuards` in every module.
    .setExtras({ isGlobal: false }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();
