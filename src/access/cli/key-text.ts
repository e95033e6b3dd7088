import type { IssuedKey } from '../application/create-key.use-case.js';
import type { RotatedKey } from '../application/rotate-key.use-case.js';
import type { ApiKey } from '../domain/api-key.js';
import type { KeyUsage, QuotaWindow } from '../domain/usage.reader.js';

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

export function keyListText(keys: readonly ApiKey[], nowMs: number): string {
  if (keys.length === 0) return 'There are no keys yet.';
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.account,
    key.plan.name,
    `${key.plan.perMinute}/${key.plan.perDay}`,
    instant(key.createdAtMs),
    instant(key.expiresAtMs),
    key.statusAt(nowMs),
  ]);
  const table = [['ID', 'NAME', 'ACCOUNT', 'PLAN', 'A MINUTE/DAY', 'CREATED', 'EXPIRES', 'STATUS'], ...rows];
  const widths = table[0]!.map((_, column) =>
    table.reduce((width, row) => Math.max(width, row[column]!.length), 0),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
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
