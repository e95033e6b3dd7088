import { ThrottlerException } from '@nestjs/throttler';
import { RateLimitDecision, type RefusalCode } from './rate-limit-decision.js';
import { perDay, perMinute, secondsOf } from './rate-plan.js';

const PLAN = [perMinute(60), perDay(1_000)];
const [MINUTE, DAY] = PLAN;
const BAN = { began: false, refusals: 30, seconds: 60 };

/**
 * A 429 with the body `{ code, message }`: the window of a minute, and the base class of the other refusals. It is a
 * ThrottlerException, so that filters for those catch it. As in RFC 6585 section 4, the message explains the condition;
 * the headers say when to try again. It has no stack trace, which would cost most just when there are many.
 */
export class RateLimitExceeded extends ThrottlerException {
  static readonly when: string = 'The requests of this minute are used up.';
  static readonly fix: string =
    'Wait for `Retry-After` seconds, and back off exponentially if it happens again. Without a valid key your address is limited.';
  static readonly example: RateLimitExceeded = new RateLimitExceeded(
    new RateLimitDecision(PLAN, 'rate_limit_exceeded', null, MINUTE!, 0, 0, 42, []),
  );

  constructor(
    readonly decision: RateLimitDecision,
    message = `${allowance(decision)}; try again in ${seconds(decision.retryAfterSeconds)}.`,
    readonly code: RefusalCode = 'rate_limit_exceeded',
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }

  override getResponse(): { code: RefusalCode; message: string } {
    return { code: this.code, message: this.message };
  }
}

export class DailyQuotaExceeded extends RateLimitExceeded {
  static override readonly when = 'The requests of this day (UTC) are used up.';
  static override readonly fix = 'The count starts again at midnight UTC. The operator can change the plan.';
  static override readonly example = new DailyQuotaExceeded(
    new RateLimitDecision(PLAN, 'daily_quota_exceeded', null, DAY!, 0, 0, 3_600, []),
  );

  constructor(decision: RateLimitDecision, message?: string) {
    super(decision, message, 'daily_quota_exceeded');
  }
}

export class ApiKeyBanned extends RateLimitExceeded {
  static override readonly when = 'The caller continued after 429s and is banned temporarily.';
  static override readonly fix =
    'Stop for `Retry-After` seconds, and fix the retry loop: the next ban lasts twice as long. The operator can lift the ban.';
  static override readonly example = new ApiKeyBanned(
    new RateLimitDecision(PLAN, 'api_key_banned', BAN, MINUTE!, 0, 0, 60, []),
  );

  constructor(
    decision: RateLimitDecision,
    message = `Continuing after a 429 led to a temporary ban, which ends in ${seconds(decision.ban!.seconds)}.`,
  ) {
    super(decision, message, 'api_key_banned');
  }
}

/** The error of a refused request, by its code. */
export const REFUSALS = {
  rate_limit_exceeded: RateLimitExceeded,
  daily_quota_exceeded: DailyQuotaExceeded,
  api_key_banned: ApiKeyBanned,
};

function allowance({ binding }: RateLimitDecision): string {
  const { budget, limit, seconds: length } = binding!;
  const owner = budget === undefined ? 'The plan' : `The budget ${budget}`;
  const time =
    length === 'day' ? 'per day (UTC)' : length === 60 ? 'per minute' : `in ${seconds(secondsOf(binding!))}`;
  return `${owner} allows ${limit} requests ${time}`;
}

function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`;
}
