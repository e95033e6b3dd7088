import { parse, type ParsedUrlQuery } from 'node:querystring';

/** How many different query strings the service remembers the meaning of: some hundred kilobytes at most. */
const REMEMBERED = 1_000;
/** A longer one has a cursor in it, which seldom comes twice. */
const MEMORABLE_CHARACTERS = 28;

const NONE: ParsedUrlQuery = Object.freeze(Object.create(null) as ParsedUrlQuery);

const remembered = new Map<string, ParsedUrlQuery>();

/**
 * Express's `query parser` of this service: as the `simple` one, and what a short query string means is worked out once.
 * A frozen object is one that is remembered, so whatever is made of it may be remembered with it.
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  if (text === null || text === '') return NONE;
  const known = remembered.get(text);
  if (known) return known;
  const query = parse(text, '&', '=', { maxKeys: 0 });
  if (text.length > MEMORABLE_CHARACTERS || Object.values(query).some(Array.isArray)) return query;
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(text, Object.freeze(query));
  return query;
}
