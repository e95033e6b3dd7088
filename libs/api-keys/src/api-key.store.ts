import type { Caller } from './caller.js';

/** An API key as it is stored. Its `keyId` and `hash` never change; everything else may. */
export interface StoredApiKey extends Caller {
  /** `hashApiKey` of the key's text. */
  readonly hash: string;
  /** When the key expires, in milliseconds since the Unix epoch; null when it does not. */
  readonly expiresAtMs: number | null;
  /**
   * When the key was revoked, in milliseconds since the Unix epoch; null when it was not. A revoked key is invalid at
   * once, whatever the time.
   */
  readonly revokedAtMs: number | null;
}

/**
 * Where the application stores its API keys.
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
   * The key with this hash, even if it is expired or revoked; null when there is none. When the look-up fails, the
   * error is passed to the application's error filter unchanged.
   */
  abstract findByHash(hash: string): Promise<StoredApiKey | null>;

  /** The keys with these hashes, in any order, in one statement. Hashes without a key are left out. */
  abstract findByHashes(hashes: readonly string[]): Promise<StoredApiKey[]>;
}
