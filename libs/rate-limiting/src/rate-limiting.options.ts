import type { IncomingMessage } from 'node:http';
import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { RateLimitDecision } from './rate-limit-decision.js';
import type { RateLimitStore } from './rate-limit.store.js';
import type { RateSubject } from './rate-subject.js';

export interface RateLimitingOptions {
  store: RateLimitStore;
  /** Who sends `request`. Asked once a request: keep what can be kept (see RateSubject). */
  subjectOf: (request: IncomingMessage) => RateSubject;
  /** Requests that count against nobody and are let through. Their headers say how their subject stands. */
  isUncounted?: (request: IncomingMessage) => boolean;
  /** The time in milliseconds since the Unix epoch. */
  now: () => number;
  /** Told of every decision, for metrics. Must not throw. */
  onDecision?: (decision: RateLimitDecision, request: IncomingMessage) => void;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: RATE_LIMITING_OPTIONS } =
  new ConfigurableModuleBuilder<RateLimitingOptions>({ moduleName: 'RateLimiting' })
    .setClassMethodName('forRoot')
    .build();
