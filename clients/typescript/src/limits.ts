/** The rate limit in the `X-RateLimit-*` headers of a response: that of the window with the fewest requests left. */
export interface Limits {
  /** The number of requests that the window allows. */
  limit: number;
  /** The number of requests left. */
  remaining: number;
  /** When the window resets. */
  resetAt: Date;
}

/** The rate limit in a response; null when it has none, such as the response of a proxy. */
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
