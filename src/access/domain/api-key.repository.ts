import type { Transaction } from '../../shared/unit-of-work.js';
import type { ApiKey } from './api-key.js';

/** All keys ever issued, the expired and revoked ones among them. */
export abstract class ApiKeyRepository {
  /** Keeps a new key. */
  abstract add(key: ApiKey, transaction: Transaction): Promise<void>;

  /**
   * Puts what `change` makes of the key in its place and returns it; no other change comes in between. Null when there
   * is no key with this id. A key that `change` returns as it is stays as it is.
   *
   * `changedAtMs` becomes later than that of every change committed before, whatever the clocks of the hosts that make
   * them say: who has read up to one change finds every later one after it.
   */
  abstract change(
    id: string,
    change: (key: ApiKey) => ApiKey,
    transaction: Transaction,
  ): Promise<ApiKey | null>;

  /** The key, or null when there is none with this id. */
  abstract findById(id: string): Promise<ApiKey | null>;

  /** The key, or null when there is none with this hash. */
  abstract findByHash(hash: string): Promise<ApiKey | null>;

  /** The keys with these hashes, in any order; hashes that no key has are passed over. */
  abstract findByHashes(hashes: readonly string[]): Promise<ApiKey[]>;

  /** All keys in the order in which they were issued. */
  abstract list(): Promise<ApiKey[]>;

  /** Whether no key was ever issued, as `transaction` sees it. */
  abstract isEmpty(transaction: Transaction): Promise<boolean>;

  /** The latest `changedAtMs` of all keys, or null when none was ever changed. */
  abstract latestChangeMs(): Promise<number | null>;

  /** The keys whose `changedAtMs` is later than `afterMs`, in the order of their changes; new keys are not among them. */
  abstract changedAfter(afterMs: number): Promise<ApiKey[]>;
}
