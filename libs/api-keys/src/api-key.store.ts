import type { Caller } from './caller.js';

/** The state of an API key, beside the facts for the caller. */
interface KeyState {
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
 * An API key as it is stored, with the facts of the application. Its `keyId` and `hash` never change; everything else
 * may.
 */
export type StoredApiKey<Facts extends object = object> = Caller<Facts> & KeyState;

/**
 * Where the application stores its API keys.
 */
export abstract class ApiKeyStore<Facts extends object = object> {
  /**
   * The key with this hash, even if it is expired or revoked; null when there is none. When the look-up fails, the
   * error is passed to the application's error filter unchanged.
   */
  abstract findByHash(hash: string): Promise<StoredApiKey<Facts> | null>;

  /**
   * The keys with these hashes, in any order. Hashes without a key are left out. Implement it with one statement if you
   * use `throttleLookUps`; this one looks them up one by one.
   */
  async findByHashes(hashes: readonly string[]): Promise<StoredApiKey<Facts>[]> {
    const keys: StoredApiKey<Facts>[] = [];
    for (const hash of hashes) {
      const key = await this.findByHash(hash);
      if (key !== null) keys.push(key);
    }
    return keys;
  }
}
