/** Where a page of a list ends: its last item, by id, and in a list sorted by something else also by that. */
export interface Place {
  readonly id: bigint;
  readonly value?: string | bigint;
}

/** Which page of a list: up to `limit` items from the first one after `after` on. */
export interface PageRequest {
  readonly limit: number;
  /** Null for the first page. */
  readonly after: Place | null;
}

/** A page of a list with a choice of sorts. Items with the same value are in the order of their ids. */
export interface SortedPageRequest<Sort extends string> extends PageRequest {
  readonly sort: Sort;
  readonly direction: 'ASC' | 'DESC';
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The place after which the next page starts, or null on the last page. */
  readonly next: Place | null;
}

/** Cuts a page out of up to `limit + 1` items: the one too many only tells that there is a next page. */
export function pageOf<Item extends { readonly id: bigint }>(
  items: readonly Item[],
  limit: number,
  sort = 'id',
): Page<Item> {
  if (items.length <= limit) return { items, next: null };
  const cut = items.slice(0, limit);
  const last = cut[limit - 1]!;
  if (sort === 'id') return { items: cut, next: { id: last.id } };
  return { items: cut, next: { id: last.id, value: last[sort as keyof Item] as string | bigint } };
}

/** The page of what `change` makes of the items. */
export function mapPage<From, To>({ items, next }: Page<From>, change: (item: From) => To): Page<To> {
  return { items: items.map((item) => change(item)), next };
}
