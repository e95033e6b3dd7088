import type { IssuedKey } from '../application/create-key.use-case.js';
import type { LiftedBan } from '../application/lift-ban.use-case.js';
import type { ListedKey } from '../application/list-keys.use-case.js';
import type { RotatedKey } from '../application/rotate-key.use-case.js';
import type { ApiKey } from '../domain/api-key.js';
import type { KeyUsage, QuotaWindow } from '../domain/usage.reader.js';

/** What `--json` prints. Instants are RFC 3339 in UTC. */
export type JsonObject = Record<string, unknown>;

export function issuedKeyResponse({ key, text }: IssuedKey): JsonObject {
  const { id, ...facts } = factsOf(key);
  return { id, key: text, ...facts };
}

export function rotatedKeyResponse(rotated: RotatedKey, nowMs: number): JsonObject {
  return { ...issuedKeyResponse(rotated), replaces: apiKeyResponse(rotated.replaced, nowMs) };
}

export function apiKeyResponse(key: ApiKey, nowMs: number): JsonObject {
  return {
    ...factsOf(key),
    revokedAt: instant(key.revokedAtMs),
    replacedBy: key.replacedBy,
    status: key.statusAt(nowMs),
  };
}

export function listedKeyResponse({ key, usage }: ListedKey, nowMs: number): JsonObject {
  return usage === null ? apiKeyResponse(key, nowMs) : shownKeyResponse(key, usage, nowMs);
}

export function liftedBanResponse({ key, wasBanned }: LiftedBan, nowMs: number): JsonObject {
  return { ...apiKeyResponse(key, nowMs), wasBanned };
}

export function shownKeyResponse(key: ApiKey, { minute, day, ban }: KeyUsage, nowMs: number): JsonObject {
  return {
    ...apiKeyResponse(key, nowMs),
    usage: {
      minute: minute && windowResponse(minute, key.plan.perMinute),
      day: windowResponse(day, key.plan.perDay),
    },
    ban: ban && { until: instant(ban.untilMs) },
  };
}

function factsOf({ id, name, account, plan, createdAtMs, expiresAtMs }: ApiKey) {
  return {
    id,
    name,
    account,
    plan: plan.name,
    perMinute: plan.perMinute,
    perDay: plan.perDay,
    createdAt: instant(createdAtMs),
    expiresAt: instant(expiresAtMs),
  };
}

function windowResponse({ used, resetsAtMs }: QuotaWindow, limit: number): JsonObject {
  return { used, limit, resetsAt: instant(resetsAtMs) };
}

function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
