import { hash } from 'node:crypto';
import type { Page, Place } from '../shared/page.js';
import { encodeCursor, type ListAddress } from './cursor.js';
import { toJson } from './json.js';

/** An answer that is more than a resource: its JSON text and the headers that go with it. */
export class Reply {
  private tag: string | undefined;
  private octets: string | undefined;

  constructor(
    readonly json: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** A strong entity tag: the same bytes have the same tag (RFC 9110, section 8.8.3). */
  get entityTag(): string {
    return (this.tag ??= `"${hash('sha1', this.json, 'base64url')}"`);
  }

  /** The body in UTF-8, a character a byte: Node sends such a string together with the headers, in one piece. */
  get bytes(): string {
    return (this.octets ??= bytesOf(this.json));
  }
}

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

function bytesOf(text: string): string {
  // As many bytes as characters: all of them ASCII.
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
}
