import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Awaitable, Database } from './database.js';
import { Counter, type Plan } from './rate-limits.js';

export interface Caller {
  readonly keyId: string;
  readonly account: string;
  readonly plan: Plan;
  readonly endsAtMs: number;
  readonly counter: Counter;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BEARER = /^bearer +(.+)$/i;
const WELL_FORMED = /^ask_live_[0-9A-Za-z]{38}$/;
const LIMITS: Record<string, [perMinute: number, perDay: number]> = {
  free: [60, 1_000],
  pro: [300, 10_000],
  business: [1_000, 100_000],
};
const POLL_MS = 1_000;
const BY_HASH =
  'SELECT id, account, plan, per_minute, per_day, expires_at, revoked_at FROM api_keys WHERE hash = ?';

/** Callers by their key, cached in memory; any change of any key in the database empties it within a second. */
export class ApiKeys {
  private readonly byToken = new Map<string, Caller>();
  private readonly counters = new Map<string, Counter>();
  private latestChange: unknown;

  constructor(private readonly database: Database) {
    setInterval(() => void this.poll(), POLL_MS).unref();
  }

  callerOf(authorization: string | undefined): Awaitable<Caller | 'missing' | 'invalid'> {
    const [, token] = BEARER.exec(authorization ?? '') ?? [];
    if (token === undefined) return 'missing';
    const caller = this.byToken.get(token);
    if (caller) return Date.now() < caller.endsAtMs ? caller : 'invalid';
    const isKey = WELL_FORMED.test(token) && checksum(token.slice(0, -6)) === token.slice(-6);
    return isKey ? this.lookUp(token) : 'invalid';
  }

  private async lookUp(token: string): Promise<Caller | 'invalid'> {
    const [row] = await this.database.read(BY_HASH, hash('sha256', token));
    if (!row) return 'invalid';
    const [keyId, account, name] = row as [string, string, string];
    const [perMinute, perDay] = LIMITS[name] ?? [Number(row[3]), Number(row[4])];
    let counter = this.counters.get(keyId);
    if (!counter) this.counters.set(keyId, (counter = new Counter(keyId)));
    const policy = `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`;
    const plan = { name, perMinute, perDay, policy };
    const endsAtMs = row[6] !== null ? -Infinity : Number(row[5] ?? Infinity);
    const caller = { keyId, account, plan, endsAtMs, counter };
    this.byToken.set(token, caller);
    return Date.now() < endsAtMs ? caller : 'invalid';
  }

  private async poll(): Promise<void> {
    const [row] = await this.database.read('SELECT MAX(changed_at) FROM api_keys');
    if (row![0] !== this.latestChange) this.byToken.clear();
    this.latestChange = row![0];
  }
}

/** The last six characters of a key: the CRC-32 of the others in base62. */
export function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text), i = 0; i < 6; i++, rest = Math.floor(rest / 62))
    digits = BASE62[rest % 62] + digits;
  return digits;
}
