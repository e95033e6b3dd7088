import type { Page } from '../shared/page.js';
import { encodeCursor, type ListAddress } from './cursor.js';
import { toJson } from './json.js';

/** An answer that is more than a resource: its JSON text and the headers that go with it. */
export class Reply {
  constructor(
    readonly json: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** The answer to a creation: the new resource and where it can be fetched (RFC 9110, section 10.2.2). */
export function created(location: string, resource: unknown): Reply {
  return new Reply(toJson(resource), { Location: location });
}

/** One page of a list as a bare array; the next page, where there is one, is named by a `Link` header (RFC 8288). */
export function pageReply<Item>(
  page: Page<Item>,
  list: ListAddress,
  limit: number,
  toResponse: (item: Item) => unknown,
): Reply {
  const json = toJson(page.items.map(toResponse));
  if (page.nextAfterId === null) return new Reply(json);
  const parameters = new URLSearchParams({ limit: String(limit) });
  for (const [name, value] of Object.entries(list.filters)) {
    if (value !== undefined) parameters.set(name, value);
  }
  parameters.set('cursor', encodeCursor(list, page.nextAfterId));
  return new Reply(json, { Link: `<${list.path}?${parameters.toString()}>; rel="next"` });
}
