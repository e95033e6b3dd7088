import type { ApiKey } from './api-key.js';
import { type Ban, isLifted } from './ban.js';

/** What a key has used of its quota. */
export interface KeyUsage {
  /** Null when the minute is counted only in the memory of a server, or when no window is running. */
  readonly minute: QuotaWindow | null;
  readonly day: QuotaWindow;
  /** The ban in force, or null. */
  readonly ban: Ban | null;
}

export interface QuotaWindow {
  /** Requests counted in the window so far. */
  readonly used: number;
  /** Milliseconds since the Unix epoch. */
  readonly resetsAtMs: number;
}

/** Reads how much of their quota keys have used, and who is banned. */
export abstract class UsageReader {
  /**
   * The usage of each of these keys, by id. An address has one too.
   * @throws UsageUnknown when the counts cannot be read.
   */
  abstract usageOfAll(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>>;

  /**
   * The bans in force, by the id of a key or by address, those included that are lifted: the servers apply that a moment
   * later.
   * @throws UsageUnknown when the counts cannot be read.
   */
  abstract bans(): Promise<ReadonlyMap<string, Ban>>;

  /**
   * The same for these keys and addresses alone, without a look at the others.
   * @throws UsageUnknown when the counts cannot be read.
   */
  async bansOf(subjects: readonly string[]): Promise<ReadonlyMap<string, Ban>> {
    const usages = await this.usageOfAll(subjects);
    return new Map([...usages].flatMap(([subject, { ban }]) => (ban ? [[subject, ban] as const] : [])));
  }

  /**
   * Each key with its usage, and without a ban that is lifted already: the servers apply that a moment later.
   * @throws UsageUnknown when the counts cannot be read.
   */
  async withUsage(keys: readonly ApiKey[]): Promise<{ key: ApiKey; usage: KeyUsage }[]> {
    if (keys.length === 0) return [];
    const usages = await this.usageOfAll(keys.map(({ id }) => id));
    return keys.map((key) => {
      const usage = usages.get(key.id)!;
      const isOver = usage.ban !== null && isLifted(usage.ban, key.banLiftedAtMs);
      return { key, usage: isOver ? { ...usage, ban: null } : usage };
    });
  }
}
