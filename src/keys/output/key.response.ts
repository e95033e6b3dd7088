import { DAY_MS } from '@animal-store/kernel';
import type { IssuedKey } from '../../access/application/create-key.use-case.js';
import { type ApiKey, instant } from '../../access/domain/api-key.js';
import type { Ban } from '../../access/domain/ban.js';
import type { KeyUsage, QuotaWindow } from '../../access/domain/usage.reader.js';

/** What `--json` prints, and what every text for people is made from. Instants are RFC 3339 in UTC. */
export type IssuedKeyResponse = ReturnType<typeof issuedKeyResponse>;
export type KeyResponse = ReturnType<typeof keyResponse>;

export function issuedKeyResponse({ key, text }: IssuedKey) {
  const { id, ...facts } = factsOf(key);
  return { id, key: text, ...facts };
}

/** A key, with its usage when that was read. */
export function keyResponse(key: ApiKey, nowMs: number, used: KeyUsage | null = null, rule?: string) {
  const { plan, revokedAtMs, replacedBy } = key;
  return {
    ...factsOf(key),
    revokedAt: instant(revokedAtMs),
    replacedBy,
    lastUsedDay: key.lastUsedDay === null ? null : dayText(key.lastUsedDay),
    status: key.statusAt(nowMs),
    ...(used && {
      usage: {
        minute: used.minute && windowResponse(used.minute, plan.perMinute),
        day: windowResponse(used.day, plan.perDay),
      },
      ban: used.ban && banResponse(used.ban, rule),
    }),
  };
}

/** When a ban began and ends, and why: how many refused requests led to it; null when nobody remembers. */
export function banResponse({ sinceMs, untilMs, refusals }: Ban, rule?: string) {
  return { since: instant(sinceMs), until: instant(untilMs), refusals: refusals ?? null, rule };
}

/** A UTC day, counted from the Unix epoch. */
export function dayText(day: number): string {
  return instant(day * DAY_MS).slice(0, 10);
}

function factsOf({ id, name, account, plan, scopes, createdAtMs, expiresAtMs }: ApiKey) {
  const dates = { createdAt: instant(createdAtMs), expiresAt: instant(expiresAtMs) };
  const { name: planName, perMinute, perDay } = plan;
  return { id, name, account, plan: planName, perMinute, perDay, scopes, ...dates };
}

function windowResponse({ used, resetsAtMs }: QuotaWindow, limit: number) {
  return { used, limit, resetsAt: instant(resetsAtMs) };
}
