import { ThrottlerException } from '@nestjs/throttler';
import type { RateLimitDecision, RefusalCode } from './rate-limit-decision.js';

/**
 * A 429 with the body `{ code, message }`. It is a ThrottlerException, so that filters for those catch it. As in RFC
 * 6585 section 4, the message explains the condition; the headers say when to try again. It has no stack trace: that
 * would be a sixth of the cost of a refusal, just when there are many.
 */
export class RateLimitExceeded extends ThrottlerException {
  readonly code: RefusalCode;

  constructor(decision: RateLimitDecision, message = messageOf(decision)) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = decision.code!;
  }

  override getResponse(): { code: RefusalCode; message: string } {
    return { code: this.code, message: this.message };
  }
}

function messageOf({ code, plan, retryAfterSeconds, minuteResetSeconds }: RateLimitDecision): string {
  switch (code) {
    case 'api_key_banned':
      return `Continuing after a 429 led to a temporary ban, which ends in ${seconds(minuteResetSeconds)}.`;
    case 'daily_quota_exceeded':
      return `The plan allows ${plan.perDay} requests per day (UTC); try again in ${seconds(retryAfterSeconds)}.`;
    default:
      return `The plan allows ${plan.perMinute} requests per minute; try again in ${seconds(retryAfterSeconds)}.`;
  }
}

function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`;
}
