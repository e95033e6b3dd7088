import type { Page, Place } from '../../shared/page.js';
import { encodeCursor, type ListAddress } from './cursor.js';
import { toJson } from '../../shared/json.js';
import { Reply } from './json-reply.js';

/** The answer to a creation: the new resource and where it can be fetched (RFC 9110, section 10.2.2). */
export function created(location: string, resource: unknown): Reply {
  return new Reply(toJson(resource), { Location: location });
}

const pageReplies = new WeakMap<Page<unknown>, Reply>();

/**
 * One page of a list as a bare array; the next page, where there is one, is named by a `Link` header (RFC 8288). A
 * frozen page can never change: it gets the same answer again without any work.
 */
export function pageReply<Item>(
  page: Page<Item>,
  list: ListAddress,
  limit: number,
  toResponse: (item: Item) => unknown,
): Reply {
  let reply = pageReplies.get(page);
  if (!reply) {
    const json = toJson(page.items.map(toResponse));
    reply =
      page.next === null
        ? new Reply(json)
        : new Reply(json, { Link: `<${nextPage(list, limit, page.next)}>; rel="next"` });
    if (Object.isFrozen(page)) pageReplies.set(page, reply);
  }
  return reply;
}

function nextPage(list: ListAddress, limit: number, after: Place): string {
  const { path, filters } = list;
  // By hand, as URLSearchParams takes longer than all the rest; the names need no encoding.
  const parameters = [`limit=${limit}`];
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined) parameters.push(`${name}=${encodeURIComponent(value)}`);
  }
  parameters.push(`cursor=${encodeCursor(list, after)}`);
  return `${path}?${parameters.join('&')}`;
}
