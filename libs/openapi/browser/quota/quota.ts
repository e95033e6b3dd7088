/** What the headers of the responses say about the quota of the caller. Plain data, without the page. */

export type Outcome = 'allowed' | 'refused' | 'banned';

export interface QuotaWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtMs: number;
}

export interface Quota {
  readonly plan: string;
  readonly minute: QuotaWindow;
  /** Null for a caller without a key: an address has no daily limit. */
  readonly day: QuotaWindow | null;
  readonly bannedUntilMs: number | null;
  /** The last requests, the newest at the end. */
  readonly outcomes: readonly Outcome[];
}

/** The facts of a response that the quota follows from. Header names are in lower case. */
export interface CountedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The `code` of an Error, which distinguishes a ban from a limit. */
  readonly code: string | null;
}

export type PlanLimits = Readonly<Record<string, { readonly perMinute: number; readonly perDay: number }>>;

export const SHOWN_OUTCOMES = 30;

/** The quota after a response; the previous one when the response was not counted. */
export function quotaAfter(
  previous: Quota | null,
  response: CountedResponse,
  plans: PlanLimits,
  nowMs: number,
): Quota | null {
  const { minute, day } = windowsIn(response.headers, nowMs);
  if (!minute) return previous;
  const outcome = outcomeOf(response);
  const waitMs = Number(response.headers['retry-after']) * 1_000;
  return {
    plan: planName(minute.limit, day?.limit ?? null, plans),
    minute,
    day: day ?? null,
    bannedUntilMs: outcome === 'banned' ? nowMs + waitMs : null,
    outcomes: [...(previous?.outcomes ?? []), outcome].slice(-SHOWN_OUTCOMES),
  };
}

/** A window in the response of the operation that says what is left. */
interface UsedWindow {
  readonly limit: number;
  readonly left: number;
  readonly resetsAt: string | null;
}

/** The response of the operation that says what is left, without being counted. */
export interface Usage {
  readonly minute: UsedWindow;
  readonly day: UsedWindow;
  readonly ban?: { readonly until: string };
}

/** The quota that an operation says is left. */
export function quotaIn({ minute, day, ban }: Usage, previous: Quota | null, plans: PlanLimits): Quota {
  return {
    plan: planName(minute.limit, day.limit, plans),
    minute: windowOf(minute),
    day: windowOf(day),
    bannedUntilMs: ban ? Date.parse(ban.until) : null,
    outcomes: previous?.outcomes ?? [],
  };
}

function windowOf({ limit, left, resetsAt }: UsedWindow): QuotaWindow {
  return { limit, remaining: left, resetAtMs: resetsAt === null ? 0 : Date.parse(resetsAt) };
}

/** The quota at a later time: a window that has ended is full again, and an expired ban is removed. */
export function quotaAt(quota: Quota, nowMs: number): Quota {
  const renewed = (window: QuotaWindow) =>
    nowMs < window.resetAtMs ? window : { ...window, remaining: window.limit };
  const isBanned = quota.bannedUntilMs !== null && nowMs < quota.bannedUntilMs;
  return {
    ...quota,
    minute: renewed(quota.minute),
    day: quota.day && renewed(quota.day),
    bannedUntilMs: isBanned ? quota.bannedUntilMs : null,
  };
}

/** Reads `RateLimit-Policy: "minute";q=60;w=60, …` and `RateLimit: "minute";r=59;t=42, …`. */
function windowsIn(
  headers: CountedResponse['headers'],
  nowMs: number,
): Record<string, QuotaWindow | undefined> {
  const windows: Record<string, QuotaWindow> = {};
  const policy = headers['ratelimit-policy'] ?? '';
  for (const [, name, remaining, seconds] of (headers['ratelimit'] ?? '').matchAll(
    /"(\w+)";r=(\d+);t=(\d+)/g,
  )) {
    const limit = new RegExp(`"${name}";q=(\\d+)`).exec(policy)?.[1];
    if (limit === undefined) continue;
    const resetAtMs = nowMs + Number(seconds) * 1_000;
    windows[name!] = { limit: Number(limit), remaining: Number(remaining), resetAtMs };
  }
  return windows;
}

function outcomeOf({ status, code }: CountedResponse): Outcome {
  if (status !== 429) return 'allowed';
  return code === 'api_key_banned' ? 'banned' : 'refused';
}

function planName(perMinute: number, perDay: number | null, plans: PlanLimits): string {
  if (perDay === null) return 'No key';
  const named = Object.entries(plans).find(
    ([, limits]) => limits.perMinute === perMinute && limits.perDay === perDay,
  );
  return named?.[0] ?? 'Enterprise';
}

/** What a screen reader reads after each response: how much is left, or the ban. */
export function quotaText({ plan, minute, day, bannedUntilMs }: Quota): string {
  const caller = plan === 'No key' ? 'No key' : `${plan} plan`;
  if (bannedUntilMs !== null) return `${caller}: banned until ${timeOfDay(bannedUntilMs)}`;
  const left = `${grouped(minute.remaining)} of ${grouped(minute.limit)} left this minute`;
  return `${caller}: ${left}${day ? `, ${grouped(day.remaining)} of ${grouped(day.limit)} today` : ''}`;
}

/** How long a window or a ban still lasts: `42 s`, `3 min 20 s`, `6 h 12 min`. */
export function untilText(endMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((endMs - nowMs) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function outcomesText(outcomes: readonly Outcome[]): string {
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return (
    `The last ${outcomes.length === 1 ? 'request' : `${outcomes.length} requests`}: ` +
    `${count('allowed')} allowed, ${count('refused')} refused, ${count('banned')} banned`
  );
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}
