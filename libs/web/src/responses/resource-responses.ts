import type { ServerResponse } from 'node:http';
import { type Page, type Place, SharedPage } from '@animal-store/kernel';
import { encodeCursor, filterText, type RequestedList } from './list-query.js';
import { cacheRepresentation } from './json-response.js';

/** A page as one operation shows it. */
interface ShownPage {
  readonly items: readonly unknown[];
  /** The last `Link` header, and what it was made for. */
  link: { readonly list: RequestedList; readonly header: string } | null;
}

type Mapper = (item: never) => object;

/** By page and mapper, so that another operation can show the same page differently. */
const shownPages = new WeakMap<SharedPage<unknown>, Map<Mapper, ShownPage>>();

/**
 * The items of a page as resources, for the handler to return. Sets a `Link` header with the URL of the next page, if
 * any (RFC 8288). A SharedPage never changes, so its resources are created once, and their JSON text is cached.
 *
 * @param toResource a function of a module, not one that is created for each request
 */
export function showPage<Item, Resource extends object>(
  response: ServerResponse,
  page: Page<Item>,
  list: RequestedList,
  toResource: (item: Item) => Resource,
): readonly Resource[] {
  const shown = page instanceof SharedPage ? shownOnce(page, toResource) : show(page, toResource);
  if (page.next !== null) response.appendHeader('Link', linkOf(shown, list, page.next));
  return shown.items as readonly Resource[];
}

/** The new resource, for the handler to return. Sets the `Location` header: its URL below that of its list. */
export function showCreated<Resource extends { readonly id: bigint | string }>(
  response: ServerResponse,
  path: string,
  resource: Resource,
): Resource {
  response.setHeader('Location', `${path}/${resource.id}`);
  return resource;
}

function show<Item>(page: Page<Item>, toResource: (item: Item) => object): ShownPage {
  return { items: page.items.map(toResource), link: null };
}

function shownOnce<Item>(page: SharedPage<Item>, toResource: (item: Item) => object): ShownPage {
  let byMapper = shownPages.get(page);
  if (!byMapper) shownPages.set(page, (byMapper = new Map<Mapper, ShownPage>()));
  let shown = byMapper.get(toResource);
  if (!shown) {
    shown = show(page, toResource);
    for (const item of shown.items) Object.freeze(item);
    cacheRepresentation(Object.freeze(shown.items));
    byMapper.set(toResource, shown);
  }
  return shown;
}

function linkOf(shown: ShownPage, list: RequestedList, after: Place): string {
  if (shown.link && isSameList(shown.link.list, list)) return shown.link.header;
  const header = `<${nextPage(list, after)}>; rel="next"`;
  shown.link = { list, header };
  return header;
}

function isSameList(a: RequestedList, b: RequestedList): boolean {
  if (a.path !== b.path || a.page.limit !== b.page.limit) return false;
  const filters = a.filters as Record<string, unknown>;
  const others = b.filters as Record<string, unknown>;
  for (const name in filters) if (!isSameFilter(filters[name], others[name])) return false;
  for (const name in others) if (!(name in filters)) return false;
  return true;
}

function isSameFilter(a: unknown, b: unknown): boolean {
  return a === b || (Array.isArray(a) && filterText('', a) === filterText('', b));
}

/** @throws TypeError when the list is sorted by values of another kind than it says: it would refuse its own cursor. */
function cursorAfter(after: Place, list: RequestedList): string {
  const { path, sortValue } = list;
  const { value } = after;
  const kind = value === undefined ? undefined : typeof value === 'string' ? 'text' : 'int64';
  if (kind !== sortValue) {
    throw new TypeError(`The list of ${path} is sorted by ${kind ?? 'id'}: say so to requestedList().`);
  }
  return encodeCursor(list, after);
}

function nextPage(list: RequestedList, after: Place): string {
  const { path, filters, page } = list;
  // By hand, as URLSearchParams would take longer than everything else here. The names need no encoding.
  const parameters = [`limit=${page.limit}`];
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined) parameters.push(filterText(name, value));
  }
  parameters.push(`cursor=${cursorAfter(after, list)}`);
  return `${path}?${parameters.join('&')}`;
}
