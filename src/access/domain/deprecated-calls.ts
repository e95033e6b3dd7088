import { DAY_MS } from '@animal-store/kernel';

/** How many days calls of deprecated operations are stored. Today is one of them. */
export const STORED_DAYS = 30;

export function firstStoredDay(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) - STORED_DAYS + 1;
}

/** How often a key has called a deprecated operation on a UTC day. */
export interface DeprecatedCalls {
  readonly operation: string;
  /** `none` for calls without a valid key, `other` for those of keys beyond the ones that a server counts apart. */
  readonly keyId: string;
  /** Counted from the Unix epoch. */
  readonly day: number;
  readonly calls: number;
}

/** The calls of deprecated operations in the last days, of all servers. */
export abstract class DeprecatedCallRepository {
  /** Adds to what is stored. When it rejects, it may have added all the same. */
  abstract add(calls: readonly DeprecatedCalls[]): Promise<void>;

  /** The same of the keys of one account. */
  abstract ofAccount(account: string, day: number): Promise<readonly DeprecatedCalls[]>;

  /** The calls of each key from this day on, added up, with the last day; who called most comes first. */
  abstract callersSince(day: number): Promise<readonly DeprecatedCalls[]>;
}
