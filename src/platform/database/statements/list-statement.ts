import type { EntityMetadata, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import {
  frozenPage,
  mapPage,
  type Page,
  pageOf,
  type PageRequest,
  type SortedPageRequest,
} from '@animal-store/kernel';
import type { Args } from './argument.js';
import type { SelectStatement } from './statement.js';

/** Column types that a cursor can contain and that both databases compare in their sort order. */
const SORTABLE = new Set<unknown>(['bigint', 'int8', 'text', 'varchar']);

/** A list with several sorts needs a SortedPageRequest. */
type PageOf<Sort extends string> = [Sort] extends ['id'] ? PageRequest : SortedPageRequest<Sort>;

/**
 * A list read in pages, sorted by id, or by another column and then by id. Equal pages that are read at the same time
 * may be one page; then it is frozen.
 */
export class ListStatement<
  A extends object,
  Row extends ObjectLiteral,
  Item extends object,
  Sort extends string,
> {
  /** @param selects a statement for each sort and direction, as in `id ASC` */
  constructor(
    private readonly selects: ReadonlyMap<string, SelectStatement<Args, Row>>,
    private readonly toItem: (row: Row) => Item,
  ) {}

  /** @throws TypeError when the list has no such sort. */
  async getPage(args: A, request: PageOf<Sort>): Promise<Page<Item>> {
    const { limit, after }: PageRequest = request;
    const { sort = 'id', direction = 'ASC' }: Partial<SortedPageRequest<string>> = request;
    const select = this.selects.get(`${sort} ${direction}`);
    if (!select) {
      const orders = [...this.selects.keys()].join(', ');
      throw new TypeError(`The list has no order "${sort} ${direction}": ${orders}.`);
    }
    const page = {
      'page.afterId': after?.id,
      'page.afterValue': after?.value,
      // One row more than the limit shows that there is a next page.
      'page.rows': BigInt(limit + 1),
    };
    return select.getShared({ ...args, ...page }, (rows, isShared) => {
      const items = mapPage(pageOf(rows as readonly (Row & { id: bigint })[], limit, sort), this.toItem);
      return isShared ? frozenPage(items) : items;
    });
  }
}

/**
 * Adds a filter for each of these columns whose argument is given.
 *
 * PostgreSQL plans a statement without its values. For `status = …` alone it would expect as many rows as the statuses
 * have on average: all of them when there is only one, and then it would read the table in the order of ids until it has
 * found enough. It expects few rows of a range, so it takes the index of the column.
 */
export function addEqual<R extends ObjectLiteral>(
  builder: SelectQueryBuilder<R>,
  args: Args,
  columns: readonly string[],
  isPostgres: boolean,
): SelectQueryBuilder<R> {
  for (const name of columns) {
    const column = `${builder.alias}.${name}`;
    const andFew = isPostgres ? ` AND ${column} BETWEEN :${name} AND :${name}` : '';
    const value = args[name];
    if (value !== undefined) builder.andWhere(`${column} = :${name}${andFew}`, { [name]: value });
  }
  return builder;
}

/** Adds the sort, the start of the page and its limit to a filtered list. */
export function addPage<R extends ObjectLiteral>(
  builder: SelectQueryBuilder<R>,
  args: Args,
  sort: string,
  direction: 'ASC' | 'DESC',
): SelectQueryBuilder<R> {
  const id = `${builder.alias}.id`;
  const column = `${builder.alias}.${sort}`;
  const isAfter = direction === 'ASC' ? '>' : '<';
  const afterId = args['page.afterId'];
  if (sort === 'id') {
    if (afterId) builder.andWhere(`${id} ${isAfter} :page.afterId`, { 'page.afterId': afterId });
  } else {
    if (afterId) {
      builder.andWhere(`(${column}, ${id}) ${isAfter} (:page.afterValue, :page.afterId)`, {
        'page.afterValue': args['page.afterValue'],
        'page.afterId': afterId,
      });
    }
    builder.addOrderBy(column, direction);
  }
  return builder.addOrderBy(id, direction).limit(args['page.rows'] as number);
}

/** @throws TypeError when pages sorted by the column would lose rows, or a cursor could not contain its values. */
export function requireSortable({ name, columns }: EntityMetadata, sort: string): void {
  const column = columns.find(({ propertyPath }) => propertyPath === sort);
  if (!column) throw new TypeError(`${name} has no column ${sort} to sort by.`);
  if (column.isNullable || column.transformer || !SORTABLE.has(column.type)) {
    throw new TypeError(`${name} cannot be sorted by ${sort}: only by bigint and text that is never null.`);
  }
}
