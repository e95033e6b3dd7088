import type { ApiKey } from '../domain/api-key.js';
import type { ListedKey } from '../application/list-keys.use-case.js';
import { type Column, textTable } from './text-table.js';

/** A table of keys for people, at most 100 columns wide. Names and accounts are shortened to fit. */
export function keyTable(keys: readonly ListedKey[], nowMs: number): string {
  const isUsageKnown = keys.some(({ usage }) => usage !== null);
  return textTable(isUsageKnown ? usageColumns(nowMs) : dateColumns(nowMs), keys);
}

/** What every table of keys has. */
export const KEY_COLUMNS: readonly Column<{ readonly key: ApiKey | null }>[] = [
  { title: 'NAME', of: ({ key }) => key?.name ?? '-', canShrink: true },
  { title: 'ACCOUNT', of: ({ key }) => accountOf(key), canShrink: true },
  { title: 'PLAN', of: ({ key }) => key?.plan.name ?? '-' },
];

const ID_COLUMN: Column<ListedKey> = { title: 'ID', of: ({ key }) => key.id };

function dateColumns(nowMs: number): readonly Column<ListedKey>[] {
  return [
    ID_COLUMN,
    ...KEY_COLUMNS,
    { title: 'CREATED', of: ({ key }) => dateOf(key.createdAtMs) },
    { title: 'EXPIRES', of: ({ key }) => dateOf(key.expiresAtMs) },
    statusColumn(nowMs),
  ];
}

function usageColumns(nowMs: number): readonly Column<ListedKey>[] {
  return [
    ID_COLUMN,
    ...KEY_COLUMNS,
    { title: 'TODAY', of: ({ key, usage }) => `${usage!.day.used}/${key.plan.perDay}` },
    { title: 'BANNED UNTIL', of: ({ usage }) => timeOf(usage!.ban?.untilMs) },
    statusColumn(nowMs),
  ];
}

function statusColumn(nowMs: number): Column<ListedKey> {
  return { title: 'STATUS', of: ({ key }) => key.statusAt(nowMs) };
}

function dateOf(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString().slice(0, 10);
}

function accountOf(key: ApiKey | null): string {
  if (key === null) return '-';
  // A key that was issued without an account has one of its own, named by its id.
  return key.account === key.id ? '(its own)' : key.account;
}

/** Day and time: `03-14 12:05Z`. */
function timeOf(ms: number | undefined): string {
  return ms === undefined ? '-' : `${new Date(ms).toISOString().slice(5, 16).replace('T', ' ')}Z`;
}
