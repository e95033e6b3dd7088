import type { IncomingMessage } from 'node:http';
import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { RateLimitDecision } from './rate-limit-decision.js';
import type { RateLimitStore } from './rate-limit.store.js';
import type { RateSubject } from './rate-subject.js';

export interface RateLimitingOptions {
  store: RateLimitStore;
  /** The subject of `request`. Called once per request: cache what you can (see RateSubject). */
  subjectOf: (request: IncomingMessage) => RateSubject;
  /** Requests that are not counted and always allowed. Their headers show the state of their subject. */
  isUncounted?: (request: IncomingMessage) => boolean;
  /** The time in milliseconds since the Unix epoch. */
  now: () => number;
  /** Called with every decision, for metrics. Must not throw. */
  onDecision?: (decision: RateLimitDecision, request: IncomingMessage) => void;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: RATE_LIMITING_OPTIONS } =
  new ConfigurableModuleBuilder<RateLimitingOptions>({ moduleName: 'RateLimiting' })
    .setClassMethodName('forRoot')
    .build();
