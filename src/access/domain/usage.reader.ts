import type { Ban } from './ban.js';

/** What the account of a key has used of its quota, and the ban of the key. */
export interface KeyUsage {
  /** Null when the minute is counted only in the memory of a server, or when no window is running. */
  readonly minute: QuotaWindow | null;
  readonly day: QuotaWindow;
  readonly ban: Ban | null;
}

export interface QuotaWindow {
  /** Requests counted in the window so far. */
  readonly used: number;
  /** Milliseconds since the Unix epoch. */
  readonly resetsAtMs: number;
}

/** Reads how much of their quota accounts and addresses have used, and who is banned, by storage keys of callers. */
export abstract class UsageReader {
  /**
   * The usage of each of these callers.
   * @throws UsageUnavailable when the counts cannot be read.
   */
  abstract usageOfAll(callers: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>>;

  /**
   * The bans in force, by caller, those included that are lifted: the servers apply that a moment later.
   * @throws UsageUnavailable when the counts cannot be read.
   */
  abstract bans(): Promise<ReadonlyMap<string, Ban>>;
}

/** What a caller has used by the counts that decide about its requests, those of the running minute included. */
export abstract class LiveUsage {
  abstract usageOf(caller: string, nowMs: number): Promise<KeyUsage>;
}
