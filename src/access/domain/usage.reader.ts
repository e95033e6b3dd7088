import type { Ban } from './ban.js';

/** What a subject has used of its quota. */
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

/** Reads how much of their quota accounts and addresses have used, and who is banned, by their subjects. */
export abstract class UsageReader {
  /**
   * The usage of each of these subjects.
   * @throws UsageUnknown when the counts cannot be read.
   */
  abstract usageOfAll(subjects: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>>;

  /**
   * The bans in force, by subject, those included that are lifted: the servers apply that a moment later.
   * @throws UsageUnknown when the counts cannot be read.
   */
  abstract bans(): Promise<ReadonlyMap<string, Ban>>;
}

/** What a subject has used by the counts that decide about its requests, those of the running minute included. */
export abstract class LiveUsage {
  abstract of(subject: string): Promise<KeyUsage>;
}
