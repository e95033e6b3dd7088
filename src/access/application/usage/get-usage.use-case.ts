import { Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import { isKeyId, keyCaller } from '../../domain/ban.js';
import {
  DeprecatedCallRepository,
  type AccountCalls,
  type DeprecatedCalls,
  firstStoredDay,
} from '../../domain/deprecated-calls.js';
import { type KeyUsage, LiveUsage } from '../../domain/usage.reader.js';

/** How many keys are named, those that have called most. */
export const BUSIEST_KEYS = 20;

/** How many accounts at most have their calls of deprecated operations cached, and for how long. */
const CACHED_ACCOUNTS = 1_000;
const CACHED_MS = 50_000;

export interface AccountUsage {
  readonly usage: KeyUsage;
  /** The calls of the last 30 days, by operation. */
  readonly deprecatedCalls: readonly AccountCalls[];
}

/** Returns what an account has used, whether the caller's key is banned, and the deprecated operations it calls. */
@Injectable()
export class GetUsage {
  /** How many rows an account has is its choice, so they are read once a minute at most. */
  private readonly cached = new Map<
    string,
    { readonly untilMs: number; readonly calls: Promise<AccountCalls[]> }
  >();

  constructor(
    private readonly usage: LiveUsage,
    private readonly calls: DeprecatedCallRepository,
    private readonly clock: Clock,
  ) {}

  async execute(keyId: string, account: string): Promise<AccountUsage> {
    const nowMs = this.clock.now();
    const deprecatedCalls = await this.callsOf(account, nowMs);
    const usage = await this.usage.usageOf(keyCaller({ id: keyId, account }), nowMs);
    return { usage, deprecatedCalls };
  }

  private callsOf(account: string, nowMs: number): Promise<AccountCalls[]> {
    const cached = this.cached.get(account);
    if (cached && nowMs < cached.untilMs) return cached.calls;
    const calls = this.calls.ofAccount(account, firstStoredDay(nowMs)).then(byOperation);
    if (this.cached.size >= CACHED_ACCOUNTS) this.cached.clear();
    this.cached.set(account, { untilMs: nowMs + CACHED_MS, calls });
    // The caller gets the error, and the next request reads again.
    calls.catch(() => this.cached.delete(account));
    return calls;
  }
}

/** @param calls by key, the most calls first */
function byOperation(calls: readonly DeprecatedCalls[]): AccountCalls[] {
  const sums = new Map<string, AccountCalls>();
  for (const { operation, keyId, day, calls: count } of calls) {
    const sum = sums.get(operation) ?? { operation, day, calls: 0, keyIds: [] };
    const keyIds = isKeyId(keyId) ? [...sum.keyIds, keyId].slice(0, BUSIEST_KEYS) : sum.keyIds;
    sums.set(operation, { operation, day: Math.max(sum.day, day), calls: sum.calls + count, keyIds });
  }
  return [...sums.values()];
}
