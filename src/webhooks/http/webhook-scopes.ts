import type { ServerResponse } from 'node:http';
import { type Caller, defineScope, InsufficientScope } from '@animal-store/api-keys';
import type { EventTypes } from '../domain/event.js';

export const webhookScopes = [defineScope('webhooks:read'), defineScope('webhooks:write')];

/**
 * A key that may not read what it would be notified of.
 * @throws InsufficientScope
 */
export function requireEventScopes(
  types: EventTypes,
  names: readonly string[],
  { scopes }: Caller,
  response: ServerResponse,
): void {
  const missing = types.missingScopes(names, scopes);
  if (missing.length === 0) return;
  const refusal = new InsufficientScope(missing);
  response.setHeader('WWW-Authenticate', refusal.challenge);
  throw refusal;
}
