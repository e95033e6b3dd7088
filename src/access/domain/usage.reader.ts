export interface WindowUsage {
  /** Requests counted in the window so far. */
  readonly used: number;
  /** Milliseconds since the Unix epoch. */
  readonly resetsAtMs: number;
}

export interface KeyUsage {
  /** Null where only the server's memory knows, or when no window is running. */
  readonly minute: WindowUsage | null;
  readonly day: WindowUsage;
  /** The ban that is on, if any; milliseconds since the Unix epoch. */
  readonly ban: { readonly fromMs: number; readonly untilMs: number } | null;
}

/** How much of its quota a key has used. */
export abstract class UsageReader {
  abstract usageOf(keyId: string): Promise<KeyUsage>;
}
