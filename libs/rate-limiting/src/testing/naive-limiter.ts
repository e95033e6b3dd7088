import type { BanRules, RatePlan, RateWindow } from '../rate-plan.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface NaiveAnswer {
  code: 'rate_limit_exceeded' | 'daily_quota_exceeded' | 'api_key_banned' | null;
  minuteRemaining: number | null;
  dayRemaining: number | null;
  /** Of the windows that are a list, in the order of the plan. */
  windows: { name: string; remaining: number }[];
  /** When the last thing in the way of a request is gone, in milliseconds since the Unix epoch; null when allowed. */
  retryAtMs: number | null;
}

/** A window, with the times of the requests let through in it. */
interface Span {
  startsAtMs: number;
  allowedAtMs: number[];
}

/**
 * The rules of rate limiting as the documentation tells them, kept in lists of timestamps that never shrink. Slow, and
 * written without a look at the real one, to be compared with it.
 */
export class NaiveLimiter {
  /** Every minute window there ever was, with the times of the requests let through in it. */
  readonly minutes: Span[] = [];
  /** The same for each window of the list, by its length. */
  private readonly spans = new Map<RateWindow['seconds'], Span[]>();
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
    const { perMinute = null, perDay = null, windows = [] } = this.plan;

    const minuteIsFull = perMinute !== null && (minute?.allowedAtMs.length ?? 0) + cost > perMinute;
    const dayIsFull = perDay !== null && today.length + cost > perDay;
    const full = windows.filter(
      (window) => (this.running(window, nowMs)?.allowedAtMs.length ?? 0) + cost > window.limit,
    );
    if (!this.banInForce(nowMs)) {
      if (minuteIsFull || dayIsFull || full.length > 0) this.noteRefusal(nowMs);
      else {
        this.letThrough(nowMs, cost, minute, today);
        return { code: null, ...this.left(nowMs, today), retryAtMs: null };
      }
    }

    const ban = this.banInForce(nowMs);
    const obstacles: [atMs: number, code: NaiveAnswer['code']][] = full.toReversed().map((window) => {
      const startsAtMs = this.running(window, nowMs)?.startsAtMs ?? beginOf(window, nowMs);
      const code = window.seconds === 'day' ? 'daily_quota_exceeded' : 'rate_limit_exceeded';
      return [startsAtMs + lengthOf(window), code];
    });
    if (minuteIsFull) obstacles.push([(minute?.startsAtMs ?? nowMs) + MINUTE_MS, 'rate_limit_exceeded']);
    if (dayIsFull) obstacles.push([midnightMs, 'daily_quota_exceeded']);
    if (ban) obstacles.push([ban.untilMs, 'api_key_banned']);
    obstacles.sort(([a], [b]) => a - b);
    const [retryAtMs, lastCode] = obstacles.at(-1)!;
    return {
      code: ban ? 'api_key_banned' : lastCode,
      ...this.left(nowMs, today),
      ...(ban && perMinute !== null && { minuteRemaining: 0 }),
      retryAtMs,
    };
  }

  liftBan(liftedAtMs: number): void {
    const last = this.bans.at(-1);
    if (last !== undefined && last.fromMs > liftedAtMs) return;
    this.bans = [];
    this.refusalMinutes = [];
  }

  private letThrough(nowMs: number, cost: number, running: Span | undefined, today: number[]): void {
    const minute = running ?? { startsAtMs: nowMs, allowedAtMs: [] };
    if (running === undefined) this.minutes.push(minute);
    const counted = [minute.allowedAtMs, today];
    for (const window of this.plan.windows ?? []) {
      const all = this.spansOf(window);
      if (this.running(window, nowMs) === undefined)
        all.push({ startsAtMs: beginOf(window, nowMs), allowedAtMs: [] });
      counted.push(all.at(-1)!.allowedAtMs);
    }
    for (const times of counted) for (let i = 0; i < cost; i++) times.push(nowMs);
  }

  /** What is left after a request, without a ban. */
  private left(
    nowMs: number,
    today: readonly number[],
  ): Pick<NaiveAnswer, 'minuteRemaining' | 'dayRemaining' | 'windows'> {
    const { perMinute = null, perDay = null, windows = [] } = this.plan;
    const minute = this.minutes.at(-1);
    const used = minute !== undefined && isWithin(minute.startsAtMs, nowMs) ? minute.allowedAtMs.length : 0;
    return {
      minuteRemaining: perMinute === null ? null : perMinute - used,
      dayRemaining: perDay === null ? null : perDay - today.length,
      windows: windows.map((window, index) => ({
        name: window.name,
        remaining:
          perMinute === null && index === 0 && this.banInForce(nowMs)
            ? 0
            : window.limit - (this.running(window, nowMs)?.allowedAtMs.length ?? 0),
      })),
    };
  }

  private running(window: RateWindow, nowMs: number): Span | undefined {
    const latest = this.spansOf(window).at(-1);
    return latest !== undefined && isWithin(latest.startsAtMs, nowMs, lengthOf(window)) ? latest : undefined;
  }

  private spansOf({ seconds }: RateWindow): Span[] {
    if (!this.spans.has(seconds)) this.spans.set(seconds, []);
    return this.spans.get(seconds)!;
  }

  private noteRefusal(nowMs: number): void {
    let minute = this.refusalMinutes.at(-1);
    if (minute === undefined || !isWithin(minute[0]!, nowMs)) this.refusalMinutes.push((minute = []));
    minute.push(nowMs);
    const { perMinute, windows = [] } = this.plan;
    const rates = windows.toSorted((a, b) => lengthOf(a) - lengthOf(b));
    const allowed = perMinute ?? (rates[0]!.limit * MINUTE_MS) / lengthOf(rates[0]!);
    if (minute.length < Math.max(this.rules.minRefusals, allowed / 2)) return;

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
    for (const window of this.plan.windows ?? []) {
      const latest = this.spansOf(window).at(-1);
      if (latest !== undefined && latest.startsAtMs - nowMs > lengthOf(window)) latest.startsAtMs = nowMs;
    }
    for (const ban of this.bans) {
      const aheadMs = ban.fromMs - nowMs;
      if (aheadMs <= 0) continue;
      ban.fromMs -= aheadMs;
      ban.untilMs -= aheadMs;
    }
  }
}

/** A window is also running when the clock has stepped back to up to its length before it. */
function isWithin(startsAtMs: number, nowMs: number, lengthMs = MINUTE_MS): boolean {
  return nowMs < startsAtMs + lengthMs && nowMs >= startsAtMs - lengthMs;
}

function lengthOf({ seconds }: RateWindow): number {
  return seconds === 'day' ? DAY_MS : seconds * 1_000;
}

function beginOf({ seconds }: RateWindow, nowMs: number): number {
  return seconds === 'day' ? Date.parse(new Date(nowMs).toISOString().slice(0, 10)) : nowMs;
}
