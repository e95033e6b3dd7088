import type { Caller } from './caller.js';

/** An API key as it is stored. Its `keyId` and `hash` belong together for ever; everything else may change. */
export interface StoredApiKey extends Caller {
  /** `hashApiKey` of the key's text. */
  readonly hash: string;
  /** Milliseconds since the Unix epoch from which on the key is no longer valid; null when it stays valid. */
  readonly expiresAtMs: number | null;
  /** When the key was revoked, in milliseconds since the Unix epoch; null when it was not. Revoked counts at once, whatever the time. */
  readonly revokedAtMs: number | null;
}

/**
 * Where the application keeps its API keys.
 *
 * @example
 * ```ts
 * @Injectable()
 * class SqlApiKeyStore extends ApiKeyStore {
 *   async findByHash(hash: string) {
 *     const [key] = await this.database.query('SELECT … FROM api_keys WHERE hash = $1', [hash]);
 *     return key ?? null;
 *   }
 *   findByHashes(hashes: readonly string[]) {
 *     return this.database.query('SELECT … FROM api_keys WHERE hash = ANY ($1)', [hashes]);
 *   }
 * }
 * ```
 */
export abstract class ApiKeyStore {
  /**
   * The key with this hash, expired and revoked ones included, or null when there is none. What it throws when it
   * cannot tell reaches the client unchanged, as the application's error filter answers it.
   */
  abstract findByHash(hash: string): Promise<StoredApiKey | null>;

  /** The keys with these hashes, in any order, in one statement; those that no key has are left out. */
  abstract findByHashes(hashes: readonly string[]): Promise<StoredApiKey[]>;
}
