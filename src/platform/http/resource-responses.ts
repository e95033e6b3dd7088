import type { ServerResponse } from 'node:http';
import type { Page, Place } from '@animal-store/kernel';
import { encodeCursor, type ListAddress } from './cursor.js';
import { keepRepresentation } from './json-response.js';

/** A page as one operation shows it. */
interface ShownPage {
  readonly items: readonly unknown[];
  /** The URL of the next page up to the cursor, and the whole `Link` header. */
  link: { readonly address: string; readonly header: string } | null;
}

type Mapper = (item: never) => object;

/** By page and mapper, so that another operation can show the same page differently. */
const shownPages = new WeakMap<Page<unknown>, Map<Mapper, ShownPage>>();

/**
 * The items of a page as resources, for the handler to return. Sets a `Link` header with the URL of the next page, if any
 * (RFC 8288). A frozen page never changes, so its resources are created once, and their JSON text is kept.
 *
 * @param toResource a function of a module, not one that is created for each request
 */
export function showPage<Item, Resource extends object>(
  response: ServerResponse,
  page: Page<Item>,
  list: ListAddress,
  limit: number,
  toResource: (item: Item) => Resource,
): readonly Resource[] {
  const shown = Object.isFrozen(page) ? shownOnce(page, toResource) : show(page, toResource);
  if (page.next !== null) response.appendHeader('Link', linkOf(shown, list, limit, page.next));
  return shown.items as readonly Resource[];
}

function show<Item>(page: Page<Item>, toResource: (item: Item) => object): ShownPage {
  return { items: page.items.map(toResource), link: null };
}

function shownOnce<Item>(page: Page<Item>, toResource: (item: Item) => object): ShownPage {
  let byMapper = shownPages.get(page);
  if (!byMapper) shownPages.set(page, (byMapper = new Map<Mapper, ShownPage>()));
  let shown = byMapper.get(toResource);
  if (!shown) {
    shown = show(page, toResource);
    for (const item of shown.items) Object.freeze(item);
    keepRepresentation(Object.freeze(shown.items));
    byMapper.set(toResource, shown);
  }
  return shown;
}

function linkOf(shown: ShownPage, list: ListAddress, limit: number, after: Place): string {
  const address = addressOf(list, limit);
  if (shown.link?.address !== address) {
    shown.link = { address, header: `<${address}cursor=${encodeCursor(list, after)}>; rel="next"` };
  }
  return shown.link.header;
}

function addressOf({ path, filters }: ListAddress, limit: number): string {
  // By hand, as URLSearchParams would take longer than everything else here. The names need no encoding.
  let address = `${path}?limit=${limit}&`;
  for (const name in filters) {
    const value = filters[name];
    if (value !== undefined) address += `${name}=${encodeURIComponent(value)}&`;
  }
  return address;
}
