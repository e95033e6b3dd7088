import type { KeyResponse, ListedKeyResponse } from './api-key.response.js';
import { type Column, textTable } from './text-table.js';

/** A table of keys for people, at most 100 columns wide. Names and accounts are shortened to fit. */
export function keyTable(keys: readonly ListedKeyResponse[]): string {
  const isUsageKnown = keys.some(({ usage }) => usage !== undefined);
  return textTable(isUsageKnown ? USAGE_COLUMNS : DATE_COLUMNS, keys);
}

/** What every table of keys has. */
export const KEY_COLUMNS: readonly Column<{ readonly key: KeyResponse | null }>[] = [
  { title: 'NAME', of: ({ key }) => key?.name ?? '-', canShrink: true },
  { title: 'ACCOUNT', of: ({ key }) => accountOf(key), canShrink: true },
  { title: 'PLAN', of: ({ key }) => key?.plan ?? '-' },
];

const FIRST_COLUMNS: readonly Column<ListedKeyResponse>[] = [
  { title: 'ID', of: ({ id }) => id },
  ...KEY_COLUMNS.map(({ of, ...column }) => ({ ...column, of: (key: KeyResponse) => of({ key }) })),
];

const STATUS_COLUMN: Column<ListedKeyResponse> = { title: 'STATUS', of: ({ status }) => status };

const DATE_COLUMNS: readonly Column<ListedKeyResponse>[] = [
  ...FIRST_COLUMNS,
  { title: 'CREATED', of: ({ createdAt }) => dateOf(createdAt) },
  { title: 'EXPIRES', of: ({ expiresAt }) => dateOf(expiresAt) },
  STATUS_COLUMN,
];

const USAGE_COLUMNS: readonly Column<ListedKeyResponse>[] = [
  ...FIRST_COLUMNS,
  { title: 'TODAY', of: ({ usage, perDay }) => `${usage!.day.used}/${perDay}` },
  { title: 'BANNED UNTIL', of: ({ ban }) => timeOf(ban?.until) },
  STATUS_COLUMN,
];

function dateOf(instant: string | null): string {
  return instant?.slice(0, 10) ?? 'never';
}

function accountOf(key: KeyResponse | null): string {
  if (key === null) return '-';
  // A key that was issued without an account has one of its own, named by its id.
  return key.account === key.id ? '(its own)' : key.account;
}

/** Day and time: `03-14 12:05Z`. */
function timeOf(instant: string | undefined): string {
  return instant === undefined ? '-' : `${instant.slice(5, 16).replace('T', ' ')}Z`;
}
