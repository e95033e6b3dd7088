import type { KeyFilter, ListKeysInput } from '../access/application/list-keys.use-case.js';
import type {
  IssuedKeyResponse,
  KeyResponse,
  ListedKeyResponse,
  RotatedKeyResponse,
  WindowResponse,
} from './api-key.response.js';
import { keyTable } from './key-table.js';

/** What the command line prints for people, without the last line break. */

export function issuedKeyText(issued: IssuedKeyResponse): string {
  const key = { ...issued, status: 'active' as const, revokedAt: null, replacedBy: null };
  return `The new key, shown only this once:\n\n  ${issued.key}\n\n${keyText(key)}`;
}

export function rotatedKeyText(rotated: RotatedKeyResponse): string {
  const { id, revokedAt, expiresAt } = rotated.replaces;
  const end = revokedAt === null ? `works until ${expiresAt}` : 'is revoked';
  return `${issuedKeyText(rotated)}\n\nThe old key, ${id}, ${end}.`;
}

/** A key, with its usage when that was read. */
export function keyText(key: ListedKeyResponse): string {
  const { plan, perMinute, perDay, replacedBy, usage, ban } = key;
  return facts({
    id: key.id,
    name: key.name,
    account: key.account,
    plan: `${plan} (${perMinute} a minute, ${perDay} a day)`,
    created: key.createdAt,
    expires: key.expiresAt ?? 'never',
    status: key.status,
    'replaced by': replacedBy,
    'this minute': usage?.minute && windowText(usage.minute),
    today: usage && windowText(usage.day),
    ban: usage && (ban ? `until ${ban.until}` : 'none'),
  });
}

/** A page of keys: what was asked for, and what there is. */
export function keyListText(keys: readonly ListedKeyResponse[], total: number, input: ListKeysInput): string {
  if (total === 0) return isFiltered(input) ? 'No key is like that.' : 'There are no keys yet.';
  const { limit = total, page = 1 } = input;
  if (limit >= total && page === 1) return keyTable(keys);
  if (keys.length === 0) return `There is no page ${page}: the last one is ${Math.ceil(total / limit)}.`;
  const first = (page - 1) * limit + 1;
  const last = first + keys.length - 1;
  const next = last < total ? ` Next: --page ${page + 1}` : '';
  return `${keyTable(keys)}\n\n${first} to ${last} of ${total} keys.${next}`;
}

export function liftedBanText({ wasBanned, ...key }: KeyResponse & { wasBanned: boolean | null }): string {
  const outcome =
    wasBanned === null
      ? 'If the key was banned, its ban is lifted: its usage cannot be read at the moment.'
      : wasBanned
        ? 'The ban is lifted.'
        : 'There was no ban to lift.';
  return `${outcome}\n\n${keyText(key)}`;
}

function isFiltered({ active, banned, plan, account, name }: KeyFilter): boolean {
  return [active, banned, plan, account, name].some((part) => part !== undefined);
}

/** Facts that are null or undefined are left out. */
function facts(rows: Record<string, string | null | undefined>): string {
  return Object.entries(rows)
    .filter(([, value]) => typeof value === 'string')
    .map(([label, value]) => `  ${label.padEnd(12)}${value}`)
    .join('\n');
}

function windowText({ used, limit, resetsAt }: WindowResponse): string {
  return `${used} of ${limit} used, until ${resetsAt}`;
}
