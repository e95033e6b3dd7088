import type { BanRules, RatePlan, RateWindow } from '../rate-plan.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface NaiveAnswer {
  code: 'rate_limit_exceeded' | 'daily_quota_exceeded' | 'api_key_banned' | null;
  /** Requests left in each window, in the order of the plan. */
  left: number[];
  /** When nothing refuses a request any more, in milliseconds since the Unix epoch; null when allowed. */
  retryAtMs: number | null;
}

/**
 * The rules of rate limiting as the documentation states them, in lists of timestamps that never shrink. Slow, and
 * written independently of the real one, to be compared with it. The time never goes back.
 */
export class NaiveLimiter {
  /** Every window there ever was, with the times of the requests let through in it, for each window of the plan. */
  readonly spans: { startsAtMs: number; allowedAtMs: number[] }[][];
  private refusalMinutes: number[][] = [];
  private bans: { fromMs: number; untilMs: number }[] = [];

  constructor(
    private readonly plan: RatePlan,
    private readonly rules: BanRules,
  ) {
    this.spans = plan.map(() => []);
  }

  request(nowMs: number, cost = 1): NaiveAnswer {
    const full = this.plan.filter((window, index) => this.timesIn(index, nowMs).length + cost > window.limit);
    if (!this.banInForce(nowMs)) {
      if (full.length > 0) this.noteRefusal(nowMs);
      else {
        for (const [index, window] of this.plan.entries()) {
          if (this.timesIn(index, nowMs).length === 0)
            this.spans[index]!.push({ startsAtMs: beginOf(window, nowMs), allowedAtMs: [] });
          for (let i = 0; i < cost; i++) this.spans[index]!.at(-1)!.allowedAtMs.push(nowMs);
        }
        return { code: null, left: this.left(nowMs), retryAtMs: null };
      }
    }
    const ban = this.banInForce(nowMs);
    const obstacles: [atMs: number, code: NaiveAnswer['code']][] = full
      .toSorted((a, b) => lengthOf(a) - lengthOf(b))
      .map((window) => {
        const index = this.plan.indexOf(window);
        const isRunning = this.timesIn(index, nowMs).length > 0;
        const startsAtMs = isRunning ? this.spans[index]!.at(-1)!.startsAtMs : beginOf(window, nowMs);
        const code = window.seconds === 'day' ? 'daily_quota_exceeded' : 'rate_limit_exceeded';
        return [startsAtMs + lengthOf(window), code];
      });
    if (ban) obstacles.push([ban.untilMs, 'api_key_banned']);
    obstacles.sort(([a], [b]) => a - b);
    const [retryAtMs, lastCode] = obstacles.at(-1)!;
    const left = this.left(nowMs);
    if (ban) left[0] = 0;
    return { code: ban ? 'api_key_banned' : lastCode, left, retryAtMs };
  }

  liftBan(liftedAtMs: number): void {
    const last = this.bans.at(-1);
    if (last !== undefined && last.fromMs > liftedAtMs) return;
    this.bans = [];
    this.refusalMinutes = [];
  }

  private left(nowMs: number): number[] {
    return this.plan.map(({ limit }, index) => limit - this.timesIn(index, nowMs).length);
  }

  /** Of the window that is running. */
  private timesIn(index: number, nowMs: number): number[] {
    const latest = this.spans[index]!.at(-1);
    const isRunning = latest !== undefined && nowMs < latest.startsAtMs + lengthOf(this.plan[index]!);
    return isRunning ? latest.allowedAtMs : [];
  }

  private noteRefusal(nowMs: number): void {
    let minute = this.refusalMinutes.at(-1);
    if (minute === undefined || nowMs >= minute[0]! + MINUTE_MS) this.refusalMinutes.push((minute = []));
    minute.push(nowMs);
    const [shortest] = this.plan.toSorted((a, b) => lengthOf(a) - lengthOf(b));
    const judged = this.plan.find(({ seconds }) => seconds === 60) ?? shortest!;
    const perMinute = (judged.limit * MINUTE_MS) / lengthOf(judged);
    if (minute.length < Math.max(this.rules.minRefusals, perMinute / 2)) return;

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
}

function lengthOf({ seconds }: RateWindow): number {
  return seconds === 'day' ? DAY_MS : seconds * 1_000;
}

function beginOf({ seconds }: RateWindow, nowMs: number): number {
  return seconds === 'day' ? Date.parse(new Date(nowMs).toISOString().slice(0, 10)) : nowMs;
}
