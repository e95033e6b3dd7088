/** What a key may be allowed to do. Each operation names one of these with `@RequireScope()`; a context adds its own. */
export const SCOPES = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'webhooks:read',
  'webhooks:write',
  'keys:manage',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Each once, in the order of the list; null, which allows everything, stays null. */
export function inOrder(scopes: readonly Scope[] | null): readonly Scope[] | null {
  return scopes && SCOPES.filter((scope) => scopes.includes(scope));
}
