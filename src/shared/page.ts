/** The id after which the first page starts: ids start at 1. */
export const BEFORE_FIRST_ID = 0n;

/** One page of a list in ascending id order. */
export interface Page<Item> {
  items: Item[];
  /** The id after which the next page starts, or null on the last page. */
  nextAfterId: bigint | null;
  /** Whether asking again gives this same object, so that what is made of it is worth keeping too. */
  isKept?: boolean;
}

/** Cuts a page out of up to `limit + 1` items: the one too many only tells that there is a next page. */
export function pageOf<Item extends { readonly id: bigint }>(items: Item[], limit: number): Page<Item> {
  if (items.length <= limit) return { items, nextAfterId: null };
  const kept = items.slice(0, limit);
  return { items: kept, nextAfterId: kept[limit - 1]!.id };
}
