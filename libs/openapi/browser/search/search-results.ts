/** What the search finds: an operation, an error, a page or a heading. */
export interface SearchResult {
  readonly title: string;
  readonly text: string;
  readonly content?: string;
  readonly url: string;
}

/** The places with every word of the query; first those whose title begins with it, then those that have it there. */
export function searchResults(places: readonly SearchResult[], query: string): readonly SearchResult[] {
  const wanted = plain(query.trim());
  if (wanted === '') return [];
  const words = wanted.split(/\s+/);
  const has = (text: string) => words.every((word) => plain(text).includes(word));
  const rankOf = ({ title, text, content = '' }: SearchResult) => {
    if (plain(title).startsWith(wanted)) return 0;
    if (has(`${title} ${text}`)) return 1;
    return has(`${title} ${text} ${content}`) ? 2 : null;
  };
  const found = places.map((place) => ({ place, rank: rankOf(place) })).filter(({ rank }) => rank !== null);
  return found.sort((a, b) => a.rank! - b.rank!).map(({ place }) => place);
}

/** So that `timeout` finds a time-out. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('-', '');
}
