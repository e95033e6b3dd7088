import type { StoredApiKey } from '#libs/api-keys';
import type { ApiKey } from '../domain/api-key.js';

/** The fields of a key that authentication needs. */
export function toStoredApiKey({ id, hash, account, plan, expiresAtMs, revokedAtMs }: ApiKey): StoredApiKey {
  const { name, perMinute, perDay } = plan;
  return { keyId: id, hash, account, plan: name, perMinute, perDay, expiresAtMs, revokedAtMs };
}
