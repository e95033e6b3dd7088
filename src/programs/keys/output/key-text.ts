import type { LiftBanInput } from '../../../access/application/usage/lift-ban.use-case.js';
import type { Fact, KeyChange } from '../../../access/domain/key-history.js';
import type { ListKeysInput } from '../../../access/application/list-keys.use-case.js';
import { type Column, TextTable, textTable, timeText } from '../../text-table.js';
import type { banResponse, IssuedKeyResponse, KeyResponse } from './key.response.js';

/** What the command line prints for people, without the last line break. */

export function issuedKeyText(issued: IssuedKeyResponse): string {
  const unused = { createdBy: null, revokedAt: null, replacedBy: null, lastUsedDay: null };
  const key = { ...issued, ...unused, status: 'active' as const };
  return `The new key, shown only this once:\n\n  ${issued.key}\n\n${keyText(key)}`;
}

export function rotatedKeyText(rotated: IssuedKeyResponse & { replaces: KeyResponse }): string {
  const { id, revokedAt, expiresAt } = rotated.replaces;
  const end = revokedAt === null ? `works until ${expiresAt}` : 'is revoked';
  return `${issuedKeyText(rotated)}\n\nThe old key, ${id}, ${end}.`;
}

export type RevokedKeyResponse = KeyResponse & {
  readonly revokedDescendants: number;
  readonly remainingDescendants: readonly string[];
};

export function revokedKeyText(revoked: RevokedKeyResponse): string {
  const { revokedDescendants, remainingDescendants, ...key } = revoked;
  const ofRevoked = `Revoked with it: ${revokedDescendants} keys that it has made.`;
  const remaining = `It has made keys that work or are suspended; --with-descendants revokes them: ${remainingDescendants.join(', ')}.`;
  const none = 'No key that it has made works or is suspended.';
  const made = revokedDescendants > 0 ? ofRevoked : remainingDescendants.length > 0 ? remaining : none;
  return `${keyText(key)}\n\n${made}`;
}

/** A key, with its usage when that was read. Facts that are null or undefined are left out. */
export function keyText(key: KeyResponse): string {
  const { id, name, account, plan, perMinute, perDay, status, usage, ban } = key;
  const facts = {
    id,
    name,
    account,
    plan: `${plan} (${perMinute} a minute, ${perDay} a day)`,
    scopes: key.scopes?.join(', ') ?? 'all',
    created: key.createdAt,
    'created by': key.createdBy,
    expires: key.expiresAt ?? 'never',
    'last used': key.lastUsedDay ?? 'never',
    status,
    'replaced by': key.replacedBy,
    'this minute': windowText(usage?.minute),
    today: windowText(usage?.day),
    ban: usage && (ban ? banText(ban) : 'none'),
  };
  const known = Object.entries(facts).filter(([, value]) => typeof value === 'string');
  return known.map(([label, value]) => `  ${label.padEnd(12)}${value}`).join('\n');
}

/** All keys, a batch at a time. */
export class KeyListText {
  private table: TextTable<{ readonly key: KeyResponse }> | null = null;

  constructor(private readonly input: ListKeysInput) {}

  add(keys: readonly KeyResponse[]): string {
    if (keys.length === 0) return '';
    this.table ??= new TextTable(keyColumns(keys, this.input));
    return `${this.table.add(keys.map((key) => ({ key })))}\n`;
  }

  end(): string {
    return this.table ? '' : `${noKeysText(this.input)}\n`;
  }
}

function noKeysText({ active, plan, account, unusedForMs }: ListKeysInput): string {
  const isFiltered = [active, plan, account, unusedForMs].some((part) => part !== undefined);
  return isFiltered ? 'No key matches.' : 'There are no keys yet.';
}

export function liftedBanText({ wasBanned, ...lifted }: LiftedBan): string {
  const outcome = {
    true: 'The ban is lifted.',
    false: 'There was no ban to lift.',
    null: 'If there was a ban, it is lifted: the counts cannot be read at the moment.',
  }[`${wasBanned}`];
  return 'id' in lifted ? `${outcome}\n\n${keyText(lifted)}` : outcome;
}

/** What `unban` prints: of a key, or of an address. */
export type LiftedBan = (KeyResponse | LiftBanInput) & { readonly wasBanned: boolean | null };

interface Ban extends ReturnType<typeof banResponse> {
  readonly keyId: string | null;
  readonly account: string | null;
  readonly address: string | null;
}

export function bansText(bans: readonly Ban[]): string {
  if (bans.length === 0) return 'Nobody is banned.';
  const columns: Column<Ban>[] = [
    { title: 'KEY OR ADDRESS', of: ({ keyId, address }) => keyId ?? address! },
    { title: 'ACCOUNT', of: ({ account }) => account ?? '-', canShrink: true },
    { title: 'BANNED SINCE', of: ({ since }) => timeText(since) },
    { title: 'UNTIL', of: ({ until }) => timeText(until) },
    { title: 'REFUSED', of: ({ refusals }) => String(refusals ?? '-') },
  ];
  return textTable(columns, bans);
}

interface DeprecatedCaller {
  readonly operation: string;
  readonly keyId: string;
  readonly calls: number;
  readonly lastDay: string;
  readonly key: KeyResponse | null;
}

export function deprecatedCallersText(callers: readonly DeprecatedCaller[]): string {
  if (callers.length === 0) return 'Nobody has called a deprecated operation in the last 30 days.';
  const columns: Column<DeprecatedCaller>[] = [
    { title: 'OPERATION', of: ({ operation }) => operation },
    { title: 'CALLS', of: ({ calls }) => String(calls) },
    { title: 'LAST DAY', of: ({ lastDay }) => lastDay },
    { title: 'ID', of: ({ keyId }) => keyId },
    ...KEY_COLUMNS,
  ];
  return textTable(columns, callers);
}

interface Change extends Pick<KeyChange, 'by' | 'before' | 'after'> {
  readonly key: string;
  readonly at: string;
}

/** Every fact in a line of its own, so that none is shortened. */
export function historyText(changes: readonly Change[]): string {
  if (changes.length === 0)
    return 'No change of this key is known: it was issued before changes were recorded.';
  const texts = changes.map(({ key, at, by, before, after }) => {
    const lines = Object.entries(after).map(([fact, value]) => {
      const was = before === null ? '' : `${factText(fact, before[fact])} -> `;
      return `  ${fact.padEnd(12)}${was}${factText(fact, value)}`;
    });
    return [`${at} ${key} by ${by}${before === null ? ', issued' : ''}`, ...lines].join('\n');
  });
  return texts.join('\n\n');
}

/** A key without scopes may do everything. */
function factText(fact: string, value: Fact | undefined): string {
  const nothing = fact === 'scopes' ? 'all' : 'none';
  return typeof value === 'object' && value !== null ? value.join(', ') : String(value ?? nothing);
}

/** What every table that names keys has. */
const KEY_COLUMNS: readonly Column<{ readonly key: KeyResponse | null }>[] = [
  { title: 'NAME', of: ({ key }) => key?.name ?? '-', canShrink: true },
  { title: 'ACCOUNT', of: ({ key }) => accountOf(key), canShrink: true },
  { title: 'PLAN', of: ({ key }) => key?.plan ?? '-' },
];

/** A table of keys for people, at most 100 columns wide. Names and accounts are shortened to fit. */
export function keyTable(keys: readonly KeyResponse[], input: ListKeysInput = {}): string {
  return textTable(
    keyColumns(keys, input),
    keys.map((key) => ({ key })),
  );
}

function keyColumns(keys: readonly KeyResponse[], { unusedForMs }: ListKeysInput): KeyColumn[] {
  return [
    { title: 'ID', of: ({ key }) => key.id },
    ...KEY_COLUMNS,
    ...(keys.some(({ usage }) => usage !== undefined) ? USAGE_COLUMNS : DATE_COLUMNS),
    ...(unusedForMs === undefined ? [] : [LAST_USE]),
    { title: 'STATUS', of: ({ key }) => key.status },
  ];
}

type KeyColumn = Column<{ readonly key: KeyResponse }>;
const DATE_COLUMNS: readonly KeyColumn[] = [
  { title: 'CREATED', of: ({ key }) => key.createdAt.slice(0, 10) },
  { title: 'EXPIRES', of: ({ key }) => key.expiresAt?.slice(0, 10) ?? 'never' },
];
const LAST_USE: KeyColumn = { title: 'LAST USED', of: ({ key }) => key.lastUsedDay ?? 'never' };
const USAGE_COLUMNS: readonly KeyColumn[] = [
  { title: 'TODAY', of: ({ key }) => `${key.usage!.day.used}/${key.perDay}` },
  { title: 'BANNED UNTIL', of: ({ key: { ban } }) => (ban ? timeText(ban.until) : '-') },
];

function accountOf(key: KeyResponse | null): string {
  if (key === null) return '-';
  // A key that was issued without an account has one of its own, named by its id.
  return key.account === key.id ? '(its own)' : key.account;
}

function banText({ until, refusals }: ReturnType<typeof banResponse>): string {
  return refusals === null
    ? `until ${until}`
    : `until ${until}, for ${refusals} refused requests within a minute`;
}

function windowText(window: NonNullable<KeyResponse['usage']>['minute'] | undefined): string | null {
  return window ? `${window.used} of ${window.limit} used, until ${window.resetsAt}` : null;
}
