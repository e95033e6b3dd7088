/** The query of the next page that a `Link` header names; null when it names none. */
export function nextPageQuery(link: string): ReadonlyMap<string, string> | null {
  const url = /<([^>]*)>;\s*rel="next"/.exec(link)?.[1];
  // A relative URL needs a base, and the query does not depend on it.
  return url === undefined ? null : new Map(new URL(url, 'http://store').searchParams);
}
