import { type Page, type Place, toJson } from '@animal-store/kernel';
import { encodeCursor, type ListAddress } from './cursor.js';
import { JsonResponse } from './json-response.js';

/** The response to a creation: the new resource and its URL (RFC 9110, section 10.2.2). */
export function createdResponse(location: string, resource: unknown): JsonResponse {
  return new JsonResponse(toJson(resource), { Location: location });
}

const cachedResponses = new WeakMap<Page<unknown>, JsonResponse>();

/**
 * One page of a list as a plain array. A `Link` header has the URL of the next page, if any (RFC 8288). A frozen page
 * never changes, so its response is cached.
 */
export function pageResponse<Item>(
  page: Page<Item>,
  list: ListAddress,
  limit: number,
  toResponse: (item: Item) => unknown,
): JsonResponse {
  let reply = cachedResponses.get(page);
  if (!reply) {
    const json = toJson(page.items.map(toResponse));
    reply =
      page.next === null
        ? new JsonResponse(json)
        : new JsonResponse(json, { Link: `<${nextPage(list, limit, page.next)}>; rel="next"` });
    if (Object.isFrozen(page)) cachedResponses.set(page, reply);
  }
  return reply;
}

function nextPage(list: ListAddress, limit: number, after: Place): string {
  const { path, filters } = list;
  // By hand, as URLSearchParams would take longer than everything else here. The names need no encoding.
  const parameters = [`limit=${limit}`];
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined) parameters.push(`${name}=${encodeURIComponent(value)}`);
  }
  parameters.push(`cursor=${encodeCursor(list, after)}`);
  return `${path}?${parameters.join('&')}`;
}
