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

  /**
   * Each key with its usage, and without a ban that is lifted already: the servers apply that a moment later.
   * @throws UsageUnknown when the counts cannot be read.
   */
  async withUsage(keys: readonly ApiKey[]): Promise<{ key: ApiKey; usage: KeyUsage }[]> {
    if (keys.length === 0) return [];
    const usages = await this.usageOfAll(keys.map(({ id }) => id));
    return keys.map((key) => {
      const usage = usages.get(key.id)!;
      const { banLiftedAtMs } = key;
      const isLifted = usage.ban !== null && banLiftedAtMs !== null && usage.ban.fromMs <= banLiftedAtMs;
      return { key, usage: isLifted ? { ...usage, ban: null } : usage };
    });
  }
}
