/** What a subject has used, for display. */
export interface Usage {
  /** Requests counted in the running minute window; 0 when none is running. */
  readonly minuteUsed: number;
  /** When that window ends, in milliseconds since the Unix epoch; null when none is running. */
  readonly minuteEndsAtMs: number | null;
  /** Requests counted in the current UTC day. */
  readonly dayUsed: number;
  /** When the ban in force began, in milliseconds since the Unix epoch; null when there is none. */
  readonly bannedSinceMs: number | null;
  /** When it ends. */
  readonly bannedUntilMs: number | null;
}
