/** The quota, as the `X-RateLimit-*` headers of a response tell it: of the window with the fewest requests left. */
export interface Limits {
  /** How many requests the window allows. */
  limit: number;
  /** How many of them are left. */
  remaining: number;
  /** When the window resets. */
  resetAt: Date;
}

/** The quota that a response tells; null when it tells none, as when a proxy responded. */
export function limitsOf(headers: Headers): Limits | null {
  const limit = wholeNumber(headers, 'X-RateLimit-Limit');
  const remaining = wholeNumber(headers, 'X-RateLimit-Remaining');
  const resetSeconds = wholeNumber(headers, 'X-RateLimit-Reset');
  if (limit === null || remaining === null || resetSeconds === null) return null;
  return { limit, remaining, resetAt: new Date(resetSeconds * 1000) };
}

function wholeNumber(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
