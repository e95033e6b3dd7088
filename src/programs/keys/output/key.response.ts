import { DAY_MS } from '@animal-store/kernel';
import type { IssuedKey } from '@animal-store/api-keys/issuing';
import { type ApiKey, instant } from '../../../access/domain/api-key.js';
import type { Ban } from '../../../access/domain/ban.js';
import type { Plan } from '../../../access/domain/plan.js';
import type { KeyUsage, QuotaWindow } from '../../../access/domain/usage.reader.js';

/** What `--json` prints, and what every text for people is made from. Instants are RFC 3339 in UTC. */
export type IssuedKeyResponse = ReturnType<typeof issuedKeyResponse>;
export type KeyResponse = ReturnType<typeof shownKey> & Partial<ReturnType<typeof usageResponse>>;

export function issuedKeyResponse({ key, text }: IssuedKey<ApiKey>) {
  const { id, name, account, plan, perMinute, perDay, scopes, ...shown } = shownKey(key, key.createdAtMs);
  const dates = { createdAt: shown.createdAt, expiresAt: shown.expiresAt };
  return { id, key: text, name, account, plan, perMinute, perDay, scopes, ...dates };
}

/** A key, with its usage when that was read. */
export function keyResponse(key: ApiKey, nowMs: number, used: KeyUsage | null = null): KeyResponse {
  const shown = shownKey(key, nowMs);
  return used ? { ...shown, ...usageResponse(used, key.plan) } : shown;
}

/** One literal, at a third of the cost of a spread, because a list may have a hundred thousand keys. */
function shownKey(key: ApiKey, nowMs: number) {
  return {
    id: key.id,
    name: key.name,
    account: key.account,
    plan: key.plan.name,
    perMinute: key.plan.perMinute,
    perDay: key.plan.perDay,
    scopes: key.scopes,
    createdAt: instant(key.createdAtMs),
    createdBy: key.createdBy,
    expiresAt: instant(key.expiresAtMs),
    revokedAt: instant(key.revokedAtMs),
    replacedBy: key.replacedBy,
    lastUsedDay: key.lastUsedDay === null ? null : dayText(key.lastUsedDay),
    status: key.statusAt(nowMs),
  };
}

function usageResponse({ minute, day, ban }: KeyUsage, { perMinute, perDay }: Plan) {
  const usage = { minute: minute && windowResponse(minute, perMinute), day: windowResponse(day, perDay) };
  return { usage, ban: ban && banResponse(ban) };
}

/** When a ban began and ends, and why: how many refused requests led to it; null when unknown. */
export function banResponse({ sinceMs, untilMs, refusals }: Ban) {
  return { since: instant(sinceMs), until: instant(untilMs), refusals: refusals ?? null };
}

/** A UTC day, counted from the Unix epoch. */
export function dayText(day: number): string {
  return instant(day * DAY_MS).slice(0, 10);
}

function windowResponse({ used, resetsAtMs }: QuotaWindow, limit: number) {
  return { used, limit, resetsAt: instant(resetsAtMs) };
}
