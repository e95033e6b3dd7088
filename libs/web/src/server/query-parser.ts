import { parse, type ParsedUrlQuery } from 'node:querystring';

/** The number of cached query strings: a few hundred kilobytes at most. */
const MAX_CACHED = 1_000;
/** Longer ones contain a cursor and are rarely repeated. */
const MAX_CACHED_CHARACTERS = 28;

const NONE: ParsedUrlQuery = Object.freeze(Object.create(null) as ParsedUrlQuery);

const cache = new Map<string, ParsedUrlQuery>();

/**
 * Express's `query parser` for this service. It works like the `simple` one, and caches the results of short query
 * strings, which are frozen.
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  if (text === null || text === '') return NONE;
  const known = cache.get(text);
  if (known) return known;
  const query = parse(text, '&', '=', { maxKeys: 0 });
  if (text.length > MAX_CACHED_CHARACTERS || Object.values(query).some(Array.isArray)) return query;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, Object.freeze(query));
  return query;
}
