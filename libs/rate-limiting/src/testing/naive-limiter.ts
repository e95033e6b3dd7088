import type { BanRules, RatePlan } from '../rate-plan.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface NaiveAnswer {
  code: 'rate_limit_exceeded' | 'daily_quota_exceeded' | 'api_key_banned' | null;
  minuteRemaining: number;
  dayRemaining: number | null;
  /** When the last thing in the way of a request is gone, in milliseconds since the Unix epoch; null when allowed. */
  retryAtMs: number | null;
}

/**
 * The rules of rate limiting as the documentation tells them, kept in lists of timestamps that never shrink. Slow, and
 * written without a look at the real one, to be compared with it.
 */
export class NaiveLimiter {
  /** Every minute window there ever was, with the times of the requests let through in it. */
  readonly minutes: { startsAtMs: number; allowedAtMs: number[] }[] = [];
  /** The times of the requests let through, by UTC date. */
  readonly days = new Map<string, number[]>();
  private refusalMinutes: number[][] = [];
  private bans: { fromMs: number; untilMs: number }[] = [];

  constructor(
    private readonly plan: RatePlan,
    private readonly rules: BanRules,
  ) {}

  request(nowMs: number, cost = 1): NaiveAnswer {
    this.followClockBack(nowMs);
    const date = new Date(nowMs).toISOString().slice(0, 10);
    const today = this.days.get(date) ?? [];
    this.days.set(date, today);
    const midnightMs = Date.parse(`${date}T00:00:00Z`) + DAY_MS;
    const latest = this.minutes.at(-1);
    const minute = latest !== undefined && isWithin(latest.startsAtMs, nowMs) ? latest : undefined;

    const minuteIsFull = (minute?.allowedAtMs.length ?? 0) + cost > this.plan.perMinute;
    const dayIsFull = this.plan.perDay !== null && today.length + cost > this.plan.perDay;
    if (!this.banInForce(nowMs)) {
      if (minuteIsFull || dayIsFull) this.noteRefusal(nowMs);
      else return this.letThrough(nowMs, cost, minute, today);
    }

    const ban = this.banInForce(nowMs);
    const obstacles: [atMs: number, code: NaiveAnswer['code']][] = [];
    if (minuteIsFull) obstacles.push([(minute?.startsAtMs ?? nowMs) + MINUTE_MS, 'rate_limit_exceeded']);
    if (dayIsFull) obstacles.push([midnightMs, 'daily_quota_exceeded']);
    if (ban) obstacles.push([ban.untilMs, 'api_key_banned']);
    obstacles.sort(([one], [other]) => one - other);
    const [retryAtMs, lastCode] = obstacles.at(-1)!;
    return {
      code: ban ? 'api_key_banned' : lastCode,
      minuteRemaining: ban ? 0 : this.plan.perMinute - (minute?.allowedAtMs.length ?? 0),
      dayRemaining: this.plan.perDay === null ? null : this.plan.perDay - today.length,
      retryAtMs,
    };
  }

  liftBan(liftedAtMs: number): void {
    const last = this.bans.at(-1);
    if (last !== undefined && last.fromMs > liftedAtMs) return;
    this.bans = [];
    this.refusalMinutes = [];
  }

  private letThrough(
    nowMs: number,
    cost: number,
    running: { startsAtMs: number; allowedAtMs: number[] } | undefined,
    today: number[],
  ): NaiveAnswer {
    const minute = running ?? { startsAtMs: nowMs, allowedAtMs: [] };
    if (running === undefined) this.minutes.push(minute);
    for (let i = 0; i < cost; i++) {
      minute.allowedAtMs.push(nowMs);
      today.push(nowMs);
    }
    return {
      code: null,
      minuteRemaining: this.plan.perMinute - minute.allowedAtMs.length,
      dayRemaining: this.plan.perDay === null ? null : this.plan.perDay - today.length,
      retryAtMs: null,
    };
  }

  private noteRefusal(nowMs: number): void {
    let minute = this.refusalMinutes.at(-1);
    if (minute === undefined || !isWithin(minute[0]!, nowMs)) this.refusalMinutes.push((minute = []));
    minute.push(nowMs);
    if (minute.length < Math.max(this.rules.minRefusals, this.plan.perMinute / 2)) return;

    this.refusalMinutes = [];
    const last = this.bans.at(-1);
    const isFurther = last !== undefined && nowMs < last.fromMs + this.rules.memoryMs;
    const lengthMs = isFurther ? 2 * (last.untilMs - last.fromMs) : this.rules.firstBanMs;
    this.bans.push({ fromMs: nowMs, untilMs: nowMs + Math.min(lengthMs, this.rules.longestBanMs) });
  }

  private banInForce(nowMs: number): { fromMs: number; untilMs: number } | undefined {
    const latest = this.bans.at(-1);
    return latest !== undefined && nowMs < latest.untilMs ? latest : undefined;
  }

  /** What a step back of the clock moves: a minute window that starts far ahead, and a ban that does. */
  private followClockBack(nowMs: number): void {
    const minute = this.minutes.at(-1);
    if (minute !== undefined && minute.startsAtMs - nowMs > MINUTE_MS) minute.startsAtMs = nowMs;
    for (const ban of this.bans) {
      const aheadMs = ban.fromMs - nowMs;
      if (aheadMs <= 0) continue;
      ban.fromMs -= aheadMs;
      ban.untilMs -= aheadMs;
    }
  }
}

/** A window is also running when the clock has stepped back to up to a minute before it. */
function isWithin(startsAtMs: number, nowMs: number): boolean {
  return nowMs < startsAtMs + MINUTE_MS && nowMs >= startsAtMs - MINUTE_MS;
}
