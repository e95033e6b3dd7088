import type { IssuedKey } from '../access/application/create-key.use-case.js';
import type { ListedKey } from '../access/application/list-keys.use-case.js';
import type { RotatedKey } from '../access/application/rotate-key.use-case.js';
import type { ApiKey } from '../access/domain/api-key.js';
import type { QuotaWindow } from '../access/domain/usage.reader.js';

/** What `--json` prints, and what every text for people is made from. Instants are RFC 3339 in UTC. */
export type IssuedKeyResponse = ReturnType<typeof issuedKeyResponse>;
export type RotatedKeyResponse = ReturnType<typeof rotatedKeyResponse>;
export type KeyResponse = ReturnType<typeof apiKeyResponse>;
export type ListedKeyResponse = KeyResponse & Partial<ReturnType<typeof usageResponse>>;
export type WindowResponse = ReturnType<typeof windowResponse>;

export function issuedKeyResponse({ key, text }: IssuedKey) {
  const { id, ...facts } = factsOf(key);
  return { id, key: text, ...facts };
}

export function rotatedKeyResponse(rotated: RotatedKey, nowMs: number) {
  return { ...issuedKeyResponse(rotated), replaces: apiKeyResponse(rotated.replaced, nowMs) };
}

export function apiKeyResponse(key: ApiKey, nowMs: number) {
  return {
    ...factsOf(key),
    revokedAt: instant(key.revokedAtMs),
    replacedBy: key.replacedBy,
    status: key.statusAt(nowMs),
  };
}

/** A key, with its usage when that was read. */
export function listedKeyResponse({ key, usage }: ListedKey, nowMs: number): ListedKeyResponse {
  const response = apiKeyResponse(key, nowMs);
  return usage === null ? response : { ...response, ...usageResponse({ key, usage }) };
}

function usageResponse({ key: { plan }, usage: { minute, day, ban } }: ListedKey & { usage: object }) {
  return {
    usage: {
      minute: minute && windowResponse(minute, plan.perMinute),
      day: windowResponse(day, plan.perDay),
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

function windowResponse({ used, resetsAtMs }: QuotaWindow, limit: number) {
  return { used, limit, resetsAt: instant(resetsAtMs) };
}

function instant(ms: number): string;
function instant(ms: number | null): string | null;
function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
