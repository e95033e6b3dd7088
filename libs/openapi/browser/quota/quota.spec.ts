import {
  type CountedResponse,
  outcomesText,
  type Quota,
  quotaAfter,
  quotaAt,
  quotaIn,
  quotaText,
  SHOWN_OUTCOMES,
  untilText,
} from './quota.js';

const NOON_MS = Date.UTC(2026, 2, 14, 12, 0, 0);
const PLANS = { Free: { perMinute: 60, perDay: 1_000 }, Pro: { perMinute: 300, perDay: 10_000 } };

const counted = (headers: Record<string, string> = {}): CountedResponse => ({
  status: 200,
  code: null,
  headers: {
    'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    ratelimit: '"minute";r=57;t=42, "day";r=997;t=43200',
    ...headers,
  },
});
const refused: CountedResponse = {
  ...counted({ 'retry-after': '42' }),
  status: 429,
  code: 'rate_limit_exceeded',
};
const banned: CountedResponse = { ...counted({ 'retry-after': '120' }), status: 429, code: 'api_key_banned' };
const after = (...responses: CountedResponse[]): Quota =>
  responses.reduce<Quota | null>((quota, response) => quotaAfter(quota, response, PLANS, NOON_MS), null)!;

describe('The quota of a caller', () => {
  it('follows from the headers of a response alone', () => {
    expect(after(counted())).toEqual({
      plan: 'Free',
      minute: { limit: 60, remaining: 57, resetAtMs: NOON_MS + 42_000 },
      day: { limit: 1_000, remaining: 997, resetAtMs: NOON_MS + 43_200_000 },
      bannedUntilMs: null,
      outcomes: ['allowed'],
    });
  });

  it.each([
    ['"minute";q=300;w=60, "day";q=10000;w=86400', '"minute";r=1;t=1, "day";r=1;t=1', 'Pro'],
    ['"minute";q=3;w=60, "day";q=1000;w=86400', '"minute";r=1;t=1, "day";r=1;t=1', 'Enterprise'],
  ])('names the plan with the limits %s', (policy, limits, plan) => {
    expect(after(counted({ 'ratelimit-policy': policy, ratelimit: limits })).plan).toBe(plan);
  });

  it('stays as it was after a response that was not counted', () => {
    const quota = after(counted());
    expect(quotaAfter(quota, { status: 200, code: null, headers: {} }, PLANS, NOON_MS)).toBe(quota);
    expect(quotaAfter(null, { status: 200, code: null, headers: {} }, PLANS, NOON_MS)).toBeNull();
  });

  it('distinguishes refused requests from banned ones, and knows when the ban ends', () => {
    const quota = after(counted(), refused, banned);
    expect(quota.outcomes).toEqual(['allowed', 'refused', 'banned']);
    expect(quota.bannedUntilMs).toBe(NOON_MS + 120_000);
  });

  it('shows only the last requests', () => {
    const { outcomes } = after(refused, ...Array.from({ length: SHOWN_OUTCOMES }, () => counted()));
    expect(outcomes).toEqual(Array.from({ length: SHOWN_OUTCOMES }, () => 'allowed'));
  });

  it('is full again when its window has ended, and without a ban when that has ended', () => {
    const quota = after(banned);
    expect(quotaAt(quota, NOON_MS + 41_999)).toEqual(quota);
    expect(quotaAt(quota, NOON_MS + 42_000).minute.remaining).toBe(60);
    expect(quotaAt(quota, NOON_MS + 42_000).day!.remaining).toBe(997);
    expect(quotaAt(quota, NOON_MS + 119_999).bannedUntilMs).not.toBeNull();
    expect(quotaAt(quota, NOON_MS + 120_000).bannedUntilMs).toBeNull();
  });
});

describe('The quota that an operation says is left', () => {
  const usage = {
    minute: { limit: 60, left: 48, resetsAt: new Date(NOON_MS + 30_000).toISOString() },
    day: { limit: 1_000, left: 900, resetsAt: new Date(NOON_MS + 43_200_000).toISOString() },
  };

  it('is shown before any request, and leaves the requests of the plot as they are', () => {
    expect(quotaText(quotaIn(usage, null, PLANS))).toBe(
      'Free plan: 48 of 60 left this minute, 900 of 1,000 today',
    );
    expect(quotaIn(usage, after(counted()), PLANS).outcomes).toEqual(['allowed']);
  });

  it('is whole when no minute is running', () => {
    const idle = { ...usage, minute: { limit: 60, left: 60, resetsAt: null } };
    expect(quotaAt(quotaIn(idle, null, PLANS), NOON_MS).minute.remaining).toBe(60);
  });

  it('has the ban', () => {
    const ban = { until: new Date(NOON_MS + 60_000).toISOString() };
    expect(quotaIn({ ...usage, ban }, null, PLANS).bannedUntilMs).toBe(NOON_MS + 60_000);
  });
});

describe('The quota in words', () => {
  it('says that an address without a key has a minute only', () => {
    const headers = { 'ratelimit-policy': '"minute";q=60;w=60', ratelimit: '"minute";r=59;t=60' };
    expect(quotaText(after(counted(headers)))).toBe('No key: 59 of 60 left this minute');
  });

  it('says when a ban ends', () => {
    expect(quotaText(after(banned))).toMatch(/^Free plan: banned until \d\d:02:00$/);
  });

  it.each([
    [41_001, '42 s'],
    [200_000, '3 min 20 s'],
    [22_320_000, '6 h 12 min'],
    [-1, '0 s'],
  ])('says that %i ms are %s', (ms, text) => {
    expect(untilText(NOON_MS + ms, NOON_MS)).toBe(text);
  });

  it('says what the plot shows', () => {
    expect(outcomesText(['allowed'])).toBe('The last request: 1 allowed, 0 refused, 0 banned');
    expect(outcomesText(['allowed', 'refused', 'refused', 'banned'])).toBe(
      'The last 4 requests: 1 allowed, 2 refused, 1 banned',
    );
  });
});
