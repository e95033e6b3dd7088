import { ManagedKeyStore } from '@animal-store/api-keys/issuing';
import type { Transaction } from '@animal-store/kernel';
import type { ApiKey } from './api-key.js';
import type { PlanName } from './plan.js';

/** Which keys: those that match every part. */
export interface StoredKeyFilter {
  readonly plan?: PlanName;
  readonly account?: string;
  /** Only keys that are neither revoked nor expired at this time (milliseconds since the Unix epoch). */
  readonly activeAtMs?: number;
  /** Only keys last used before this UTC day, counted from the Unix epoch; an unused one by the day of its issue. */
  readonly unusedSinceDay?: number;
}

/** The facts of a key, for handlers. */
type Facts = Pick<ApiKey, 'account' | 'plan'>;

/** All keys ever issued, including expired and revoked ones. */
export abstract class ApiKeyRepository extends ManagedKeyStore<ApiKey, Facts, Transaction> {
  /** Stores that the keys were used on a day, unless a later use is stored already. Ids without a key are ignored. */
  abstract noteUses(ids: readonly string[], day: number): Promise<void>;

  /** The key, or null when there is none with this id. */
  abstract findById(id: string): Promise<ApiKey | null>;

  /** The id of a key that the account has, or has had; null when it never had one. */
  abstract oneOf(account: string): Promise<string | null>;

  /**
   * Whether an account has at most `max` keys that are active at `activeAtMs`, and at most as many that were issued
   * after `sinceMs`. Until the transaction ends, nobody else counts or changes keys.
   */
  abstract hasAtMost(
    max: number,
    account: string,
    times: { readonly activeAtMs: number; readonly sinceMs: number },
    transaction: Transaction,
  ): Promise<boolean>;

  /** Whether a key of the account is suspended. Until the transaction ends, nobody else changes keys. */
  abstract isSuspended(account: string, transaction: Transaction): Promise<boolean>;

  /** The suspended keys of an account, also those that are revoked or expired: at most `limit` ids after `after`. */
  abstract suspendedOf(account: string, after: string, limit: number): Promise<ApiKey[]>;

  /** The keys in the order in which they were issued, a batch at a time, so that any number of them fits in memory. */
  abstract batches(filter: StoredKeyFilter): AsyncIterable<ApiKey[]>;

  /** Whether no key was ever issued, as `transaction` sees it. */
  abstract isEmpty(transaction?: Transaction): Promise<boolean>;
}
