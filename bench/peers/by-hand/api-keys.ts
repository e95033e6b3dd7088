import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type Sqlite from 'better-sqlite3';
import { Counter, type Plan } from './rate-limits.js';

export interface Caller {
  readonly keyId: string;
  readonly account: string;
  readonly plan: Plan;
  readonly endsAtMs: number;
  readonly counter: Counter;
}

interface KeyRow {
  id: string;
  account: string;
  plan: string;
  per_minute: number | null;
  per_day: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const WELL_FORMED = /^ask_live_[0-9A-Za-z]{38}$/;
const LIMITS: Record<string, [perMinute: number, perDay: number]> = {
  free: [60, 1_000],
  pro: [300, 10_000],
  business: [1_000, 100_000],
};
const POLL_MS = 1_000;

/** Callers by their key, kept in memory; any change of any key in the database empties it within a second. */
export class ApiKeys {
  private readonly byToken = new Map<string, Caller>();
  private readonly counters = new Map<string, Counter>();
  private readonly byHash: Sqlite.Statement<[string], KeyRow>;
  private latestChange: number | null = null;

  constructor(database: Sqlite.Database) {
    this.byHash = database.prepare(
      'SELECT id, account, plan, per_minute, per_day, expires_at, revoked_at FROM api_keys WHERE hash = ?',
    );
    const latestChange = database.prepare<[], number | null>('SELECT MAX(changed_at) FROM api_keys').pluck();
    setInterval(() => {
      const latest = latestChange.get() ?? null;
      if (latest !== this.latestChange) this.byToken.clear();
      this.latestChange = latest;
    }, POLL_MS).unref();
  }

  callerOf(rawHeaders: readonly string[], nowMs: number): Caller | 'missing' | 'invalid' {
    const token = bearerToken(rawHeaders);
    if (token === null) return 'missing';
    const caller = this.byToken.get(token) ?? this.lookUp(token);
    return caller !== null && nowMs < caller.endsAtMs ? caller : 'invalid';
  }

  private lookUp(token: string): Caller | null {
    if (!WELL_FORMED.test(token) || checksum(token.slice(0, -6)) !== token.slice(-6)) return null;
    const row = this.byHash.get(hash('sha256', token));
    if (!row) return null;
    const [perMinute, perDay] = LIMITS[row.plan] ?? [row.per_minute!, row.per_day!];
    let counter = this.counters.get(row.id);
    if (!counter) this.counters.set(row.id, (counter = new Counter(row.id)));
    const policy = `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`;
    const plan = { name: row.plan, perMinute, perDay, policy };
    const endsAtMs = row.revoked_at !== null ? -Infinity : (row.expires_at ?? Infinity);
    const caller = { keyId: row.id, account: row.account, plan, endsAtMs, counter };
    this.byToken.set(token, caller);
    return caller;
  }
}

/** One Authorization header and no more: a comma never is a key. */
function bearerToken(rawHeaders: readonly string[]): string | null {
  let header: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (header !== null) return ',';
    header = rawHeaders[i + 1]!;
  }
  if (header === null || header.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  return header.slice(7).trimStart() || null;
}

/** The last six characters of a key: the CRC-32 of the others in base62. */
export function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text), i = 0; i < 6; i++, rest = Math.floor(rest / 62))
    digits = BASE62[rest % 62] + digits;
  return digits;
}
