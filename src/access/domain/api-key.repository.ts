import type { Transaction } from '@animal-store/kernel';
import type { ApiKey } from './api-key.js';
import type { PlanName } from './plan.js';

/** Which keys: those that match every part. */
export interface StoredKeyFilter {
  readonly plan?: PlanName;
  readonly account?: string;
  /** Only keys that are neither revoked nor expired at this time (milliseconds since the Unix epoch). */
  readonly activeAtMs?: number;
  /** Only keys that were last used before this UTC day, counted from the Unix epoch; an unused one by the day of its issue. */
  readonly unusedSinceDay?: number;
}

/** A page of the keys in the order in which they were issued. */
export interface KeyPage {
  readonly skip: number;
  readonly limit: number;
  /** Whether the last key comes first. */
  readonly reverse?: boolean;
}

/** All keys ever issued, including expired and revoked ones. */
export abstract class ApiKeyRepository {
  /** Stores a new key. */
  abstract add(key: ApiKey, transaction: Transaction): Promise<void>;

  /**
   * Replaces the key with the one that `change` returns, and returns that. The key is locked until the transaction
   * ends, so no other change comes in between. Returns null when there is no key with this id. When `change` returns
   * the key itself, nothing is written.
   *
   * The new `changedAtMs` is later than that of every change committed before, even if the clocks of the hosts differ.
   * So a reader that has read up to one change finds every later change after it.
   */
  abstract change(
    id: string,
    change: (key: ApiKey) => ApiKey,
    transaction: Transaction,
  ): Promise<ApiKey | null>;

  /** Stores that the keys were used on a day, unless a later use is stored already. Ids without a key are ignored. */
  abstract noteUses(ids: readonly string[], day: number): Promise<void>;

  /** The key, or null when there is none with this id. */
  abstract findById(id: string): Promise<ApiKey | null>;

  /** The key, or null when there is none with this hash. */
  abstract findByHash(hash: string): Promise<ApiKey | null>;

  /** The keys with these hashes, in any order. Hashes without a key are ignored. */
  abstract findByHashes(hashes: readonly string[]): Promise<ApiKey[]>;

  abstract page(filter: StoredKeyFilter, page: KeyPage): Promise<ApiKey[]>;

  abstract count(filter: StoredKeyFilter): Promise<number>;

  /** The active keys of an account in the order of their ids, after one of them. */
  abstract activeOf(account: string, nowMs: number, after: string, limit: number): Promise<ApiKey[]>;

  /**
   * How many keys an account has that are active at `activeAtMs`, and how many were issued after `sinceMs`. Until the
   * transaction ends, nobody else counts or changes keys.
   */
  abstract countIssued(
    account: string,
    times: { readonly activeAtMs: number; readonly sinceMs: number },
    transaction: Transaction,
  ): Promise<{ readonly active: number; readonly recent: number }>;

  /** The keys in the order in which they were issued, a batch at a time, so that any number of them fits in memory. */
  abstract batches(filter: StoredKeyFilter): AsyncIterable<ApiKey[]>;

  /** The number of active keys on each plan. Requests are served meanwhile, whatever the number of keys. */
  abstract countActive(nowMs: number): Promise<ReadonlyMap<PlanName, number>>;

  /** Whether no key was ever issued, as `transaction` sees it. */
  abstract isEmpty(transaction?: Transaction): Promise<boolean>;

  /** The latest `changedAtMs` of all keys, or null when none was ever changed. */
  abstract latestChangeMs(): Promise<number | null>;

  /**
   * The keys whose `changedAtMs` is later than `afterMs`, in the order of their changes. Keys that never changed are
   * not included. At most `limit` of them: the rest is later than the last one, as no two changes have the same time.
   */
  abstract changedAfter(afterMs: number, limit: number): Promise<ApiKey[]>;
}
