/** What the search finds: an operation, an error, a page or a heading. */
export interface FoundPlace {
  readonly title: string;
  readonly text: string;
  readonly url: string;
}

const SHOWN_AT_MOST = 12;

/** The places with every word of the query; first those whose title begins with it. */
export function foundPlaces(places: readonly FoundPlace[], query: string): readonly FoundPlace[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  const words = wanted.split(/\s+/);
  const found = places.filter(({ title, text }) => {
    const all = `${title} ${text}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const begins = ({ title }: FoundPlace) => title.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((place) => !begins(place))].slice(0, SHOWN_AT_MOST);
}
