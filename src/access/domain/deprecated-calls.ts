import { DAY_MS } from '@animal-store/kernel';

/** How many days calls of deprecated operations are stored. Today is one of them. */
export const STORED_DAYS = 30;

export function firstStoredDay(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) - STORED_DAYS + 1;
}

/** In place of the id of a key: the calls without a valid key. */
export const WITHOUT_KEY = 'none';

/** In place of the id of a key: all keys of the account that are not counted apart; null for further accounts. */
export function furtherKeysOf(account: string | null): string {
  return account === null ? 'other' : `other ${account}`;
}

/** How often a key has called a deprecated operation on a UTC day. */
export interface DeprecatedCalls {
  readonly operation: string;
  readonly keyId: string;
  /** Null without a valid key. */
  readonly account: string | null;
  /** Counted from the Unix epoch. */
  readonly day: number;
  readonly calls: number;
}

/** What an account has called, with the keys that have called it most. */
export interface AccountCalls extends Pick<DeprecatedCalls, 'operation' | 'day' | 'calls'> {
  readonly keyIds: readonly string[];
}

/** The calls of deprecated operations in the last days, of all servers. */
export abstract class DeprecatedCallRepository {
  /** Adds to what is stored. When it rejects, it may have added all the same. */
  abstract add(calls: readonly DeprecatedCalls[]): Promise<void>;

  /** The calls by the keys of one account, at a cost that does not depend on how many it has. */
  abstract ofAccount(account: string, day: number): Promise<readonly DeprecatedCalls[]>;

  /** The calls of each key from this day on, added up, with the last day; who called most comes first. */
  abstract callersSince(day: number, limit: number): Promise<readonly DeprecatedCalls[]>;
}
