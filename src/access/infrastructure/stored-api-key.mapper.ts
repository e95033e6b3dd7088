import type { StoredApiKey } from '@animal-store/api-keys';
import type { KeyFacts } from '../../shared/key-facts.js';
import type { ApiKey } from '../domain/api-key.js';

/** The fields of a key that authentication needs. */
export function toStoredApiKey(key: ApiKey): StoredApiKey<KeyFacts> {
  const { id, hash, account, plan, expiresAtMs, revokedAtMs } = key;
  const { name, perMinute, perDay } = plan;
  return { keyId: id, hash, account, plan: name, perMinute, perDay, expiresAtMs, revokedAtMs };
}
