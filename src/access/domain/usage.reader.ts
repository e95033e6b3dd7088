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

/** Reads how much of its quota a key has used. */
export abstract class UsageReader {
  abstract usageOf(keyId: string): Promise<KeyUsage>;
}
