import type { ApiKey } from './api-key.js';

/** What a key has used of its quota. */
export interface KeyUsage {
  /** Null when the minute is counted only in the memory of a server, or when no window is running. */
  readonly minute: QuotaWindow | null;
  readonly day: QuotaWindow;
  /** The ban in force, or null; milliseconds since the Unix epoch. */
  readonly ban: { readonly fromMs: number; readonly untilMs: number } | null;
}

export interface QuotaWindow {
  /** Requests counted in the window so far. */
  readonly used: number;
  /** Milliseconds since the Unix epoch. */
  readonly resetsAtMs: number;
}

/** Reads how much of their quota keys have used. */
export abstract class UsageReader {
  /**
   * The usage of each of these keys, by id.
   * @throws UsageUnknown when the counts cannot be read.
   */
  abstract usageOfAll(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>>;

  /** @throws UsageUnknown when the counts cannot be read. */
  async usageOf(keyId: string): Promise<KeyUsage> {
    return (await this.usageOfAll([keyId])).get(keyId)!;
  }
}

/** The usage without a ban that is lifted already: the servers apply that a moment later. */
export function withoutLiftedBan(usage: KeyUsage, { banLiftedAtMs }: ApiKey): KeyUsage {
  const isLifted = usage.ban !== null && banLiftedAtMs !== null && usage.ban.fromMs <= banLiftedAtMs;
  return isLifted ? { ...usage, ban: null } : usage;
}
