import { ApiKey, type ApiKeyState } from '../domain/api-key.js';
import { Plans } from '../domain/plan.js';

/** The plans in tests, with the limits of the API contract. */
export const plans = new Plans({
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
});

/** A key. A test passes only the fields it is about. */
export function anApiKey(state: Partial<ApiKeyState> = {}): ApiKey {
  const id = state.id ?? 'key_anna';
  return ApiKey.restore({
    id,
    hash: `hash of ${id}`,
    name: 'Anna’s shop',
    account: 'zoo',
    plan: plans.of('free'),
    scopes: null,
    createdAtMs: Date.UTC(2026, 2, 1),
    createdBy: null,
    expiresAtMs: null,
    revokedAtMs: null,
    replacedBy: null,
    lastUsedDay: null,
    suspendedAtMs: null,
    changedAtMs: null,
    ...state,
  });
}
