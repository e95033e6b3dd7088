/** The position of an item in a list: its id and, in a list sorted by another column, the value of that column. */
export interface Place {
  readonly id: bigint;
  readonly value?: string | bigint;
}

/** A request for one page: up to `limit` items after `after`. */
export interface PageRequest {
  readonly limit: number;
  /** Null for the first page. */
  readonly after: Place | null;
}

/** A page of a list that is sorted by anything but the id. Items with equal values are in the order of their ids. */
export interface SortedPageRequest<Sort extends string> extends PageRequest {
  readonly sort: Sort;
  readonly direction: 'ASC' | 'DESC';
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The position after which the next page starts; null on the last page. */
  readonly next: Place | null;
}

/** A page that any number of callers can have. It never changes, so what is made of it can be cached with it. */
export class SharedPage<Item> implements Page<Item> {
  readonly items: readonly Item[];
  readonly next: Place | null;

  constructor({ items, next }: Page<Item>) {
    this.items = Object.freeze(items.map((item) => Object.freeze(item)));
    this.next = next && Object.freeze(next);
    Object.freeze(this);
  }
}
