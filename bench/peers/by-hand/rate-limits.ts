export interface Plan {
  readonly name: string;
  readonly perMinute: number;
  /** Infinity without a limit a day. */
  readonly perDay: number;
  readonly policy: string;
}

export class Counter {
  minuteStartMs = 0;
  minuteCount = 0;
  day = 0;
  dayCount = 0;
  refusalStartMs = 0;
  refusals = 0;
  banUntilMs = 0;
  banMs = 0;
  isChanged = false;

  constructor(readonly subject: string) {}
}

export interface Verdict {
  readonly code: 'rate_limit_exceeded' | 'daily_quota_exceeded' | 'api_key_banned' | null;
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtSeconds: number;
  readonly rateLimit: string;
  readonly retryAfterSeconds: number;
}

const BANNED = 'api_key_banned';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MIN_REFUSALS = 20;
const FIRST_BAN_MS = 60_000;
const LONGEST_BAN_MS = 3_600_000;
const SAVE_EVERY_MS = 500;

/** Decides requests by both windows and the bans, and saves what has to survive a restart shortly afterwards. */
export class RateLimits {
  private readonly addresses = new Map<string, Counter>();
  private changed: Counter[] = [];

  constructor(private readonly saveUsage: (counters: readonly Counter[]) => Promise<void>) {
    setInterval(() => this.save(), SAVE_EVERY_MS).unref();
  }

  counterOfAddress(address: string): Counter {
    let counter = this.addresses.get(address);
    if (!counter) this.addresses.set(address, (counter = new Counter(address)));
    return counter;
  }

  decide(counter: Counter, { perMinute, perDay }: Plan, nowMs: number): Verdict {
    const day = Math.floor(nowMs / DAY_MS);
    if (counter.day !== day) {
      counter.day = day;
      counter.dayCount = 0;
    }
    if (nowMs - counter.minuteStartMs >= MINUTE_MS) {
      counter.minuteStartMs = nowMs;
      counter.minuteCount = 0;
    }
    let isBanned = counter.banUntilMs > nowMs;
    const refused = isBanned || counter.minuteCount >= perMinute || counter.dayCount >= perDay;
    if (!refused) {
      counter.minuteCount++;
      counter.dayCount++;
      this.noteChange(counter);
    } else if (!isBanned) {
      isBanned = this.refuse(counter, perMinute, nowMs);
    }

    const minuteEndsAtMs = counter.minuteStartMs + MINUTE_MS;
    const freeAtMs = isBanned ? Math.max(counter.banUntilMs, minuteEndsAtMs) : minuteEndsAtMs;
    const dayEndsAtMs = (day + 1) * DAY_MS;
    const minuteLeft = isBanned ? 0 : perMinute - counter.minuteCount;
    const dayLeft = perDay - counter.dayCount;
    const dayBinds =
      refused && minuteLeft === 0 && dayLeft === 0 ? dayEndsAtMs >= freeAtMs : dayLeft <= minuteLeft;
    const resetAtMs = dayBinds ? dayEndsAtMs : freeAtMs;
    const minute = `"minute";r=${minuteLeft};t=${seconds(freeAtMs - nowMs)}`;
    return {
      code: !refused ? null : isBanned ? BANNED : dayBinds ? 'daily_quota_exceeded' : 'rate_limit_exceeded',
      limit: dayBinds ? perDay : perMinute,
      remaining: dayBinds ? dayLeft : minuteLeft,
      resetAtSeconds: seconds(resetAtMs),
      rateLimit:
        perDay === Infinity ? minute : `${minute}, "day";r=${dayLeft};t=${seconds(dayEndsAtMs - nowMs)}`,
      retryAfterSeconds: Math.max(1, seconds(resetAtMs - nowMs)),
    };
  }

  /** Whether the refusal brought a ban. */
  private refuse(counter: Counter, perMinute: number, nowMs: number): boolean {
    if (nowMs - counter.refusalStartMs >= MINUTE_MS) {
      counter.refusalStartMs = nowMs;
      counter.refusals = 0;
    }
    if (++counter.refusals < Math.max(MIN_REFUSALS, perMinute / 2)) return false;
    const isFurther = counter.banMs !== 0 && nowMs - (counter.banUntilMs - counter.banMs) < DAY_MS;
    counter.banMs = isFurther ? Math.min(counter.banMs * 2, LONGEST_BAN_MS) : FIRST_BAN_MS;
    counter.banUntilMs = nowMs + counter.banMs;
    counter.refusals = 0;
    this.noteChange(counter);
    return true;
  }

  private noteChange(counter: Counter): void {
    if (counter.isChanged) return;
    counter.isChanged = true;
    this.changed.push(counter);
  }

  private save(): void {
    if (this.changed.length === 0) return;
    const counters = this.changed;
    this.changed = [];
    for (const counter of counters) counter.isChanged = false;
    void this.saveUsage(counters);
  }
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
