import type { EntityMetadata, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { type Page, pageOf, type PageRequest, type SortedPageRequest } from '@animal-store/kernel';
import type { Args } from './argument.js';
import type { SelectStatement } from './statement.js';

/** Column types that a cursor can contain and that both databases compare in their sort order. */
const SORTABLE = new Set<unknown>(['bigint', 'int8', 'text', 'varchar']);

/** A list with several sorts needs a SortedPageRequest. */
type PageOf<Sort extends string> = [Sort] extends ['id'] ? PageRequest : SortedPageRequest<Sort>;

/** A list read in pages, sorted by id, or by another column and then by id. */
export class ListStatement<A extends object, Row extends ObjectLiteral, Sort extends string> {
  /** @param selects a statement for each sort and direction, as in `id ASC` */
  constructor(private readonly selects: ReadonlyMap<string, SelectStatement<Args, Row>>) {}

  /** @throws TypeError when the list has no such sort. */
  async getPage(args: A, request: PageOf<Sort>): Promise<Page<Row>> {
    const {
      limit,
      sort = 'id',
      direction = 'ASC',
    }: PageRequest & Partial<SortedPageRequest<string>> = request;
    const select = this.selects.get(`${sort} ${direction}`);
    if (!select)
      throw new TypeError(
        `The list has no order "${sort} ${direction}": ${[...this.selects.keys()].join(', ')}.`,
      );
    const rows = await select.getMany({ ...args, ...pageArguments(request) });
    return pageOf(rows as readonly (Row & { id: bigint })[], limit, sort);
  }
}

/** The arguments that `addPage` adds to those of a list. */
export function pageArguments({ limit, after }: PageRequest): Args {
  return {
    'page.afterId': after?.id,
    'page.afterValue': after?.value,
    // One row more than the limit shows that there is a next page.
    'page.rows': BigInt(limit + 1),
  };
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
