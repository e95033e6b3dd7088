import type { IssuedKey } from '../application/create-key.use-case.js';
import type { LiftedBan } from '../application/lift-ban.use-case.js';
import type { KeyFilter, ListedKeys, ListKeysInput } from '../application/list-keys.use-case.js';
import type { RotatedKey } from '../application/rotate-key.use-case.js';
import type { ApiKey } from '../domain/api-key.js';
import type { KeyUsage, QuotaWindow } from '../domain/usage.reader.js';
import { keyTable } from './key-table.js';

/** What the command line prints for people, without the last line break. */

export function issuedKeyText({ key, text }: IssuedKey, nowMs: number): string {
  return `The new key, shown only this once:\n\n  ${text}\n\n${apiKeyText(key, nowMs)}`;
}

export function rotatedKeyText(rotated: RotatedKey, nowMs: number): string {
  const { id, revokedAtMs, expiresAtMs } = rotated.replaced;
  const end = revokedAtMs === null ? `works until ${instant(expiresAtMs)}` : 'is revoked';
  return `${issuedKeyText(rotated, nowMs)}\n\nThe old key, ${id}, ${end}.`;
}

export function apiKeyText(key: ApiKey, nowMs: number): string {
  return facts([
    ['id', key.id],
    ['name', key.name],
    ['account', key.account],
    ['plan', `${key.plan.name} (${key.plan.perMinute} a minute, ${key.plan.perDay} a day)`],
    ['created', instant(key.createdAtMs)],
    ['expires', instant(key.expiresAtMs)],
    ['status', key.statusAt(nowMs)],
    ...(key.replacedBy === null ? [] : [['replaced by', key.replacedBy] as const]),
  ]);
}

export function shownKeyText(key: ApiKey, { minute, day, ban }: KeyUsage, nowMs: number): string {
  const usage = facts([
    ...(minute === null ? [] : [['this minute', windowText(minute, key.plan.perMinute)] as const]),
    ['today', windowText(day, key.plan.perDay)],
    ['ban', ban === null ? 'none' : `until ${instant(ban.untilMs)}`],
  ]);
  return `${apiKeyText(key, nowMs)}\n${usage}`;
}

/** A page of keys: what was asked for, and what there is. */
export function keyListText({ keys, total }: ListedKeys, input: ListKeysInput, nowMs: number): string {
  if (total === 0) return isFiltered(input) ? 'No key is like that.' : 'There are no keys yet.';
  const { limit = total, page = 1 } = input;
  if (limit >= total && page === 1) return keyTable(keys, nowMs);
  if (keys.length === 0) return `There is no page ${page}: the last one is ${Math.ceil(total / limit)}.`;
  const first = (page - 1) * limit + 1;
  const last = first + keys.length - 1;
  const next = last < total ? ` Next: --page ${page + 1}` : '';
  return `${keyTable(keys, nowMs)}\n\n${first} to ${last} of ${total} keys.${next}`;
}

export function liftedBanText({ key, wasBanned }: LiftedBan, nowMs: number): string {
  const outcome =
    wasBanned === null
      ? 'If the key was banned, its ban is lifted: its usage cannot be read at the moment.'
      : wasBanned
        ? 'The ban is lifted.'
        : 'There was no ban to lift.';
  return `${outcome}\n\n${apiKeyText(key, nowMs)}`;
}

function isFiltered({ active, banned, plan, account, name }: KeyFilter): boolean {
  return [active, banned, plan, account, name].some((part) => part !== undefined);
}

function facts(rows: readonly (readonly [label: string, value: string])[]): string {
  return rows.map(([label, value]) => `  ${label.padEnd(12)}${value}`).join('\n');
}

function windowText({ used, resetsAtMs }: QuotaWindow, limit: number): string {
  return `${used} of ${limit} used, until ${instant(resetsAtMs)}`;
}

function instant(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString();
}
