import type { EntityMetadata, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import {
  frozenPage,
  mapPage,
  type Page,
  pageOf,
  type PageRequest,
  type SortedPageRequest,
} from '@animal-store/kernel';
import type { Args } from './compiled-statement.js';
import type { SelectStatement } from './statement.js';

/** The arguments that a page adds to those of its list. */
export const AFTER_ID = 'page.afterId';
const AFTER_VALUE = 'page.afterValue';
export const ROWS = 'page.rows';

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
  /**
   * @param optional the arguments that may be left out
   * @param selects of each sort and direction, as in `id ASC`: a statement for each of their combinations
   */
  constructor(
    private readonly optional: readonly string[],
    private readonly selects: ReadonlyMap<string, readonly SelectStatement<ObjectLiteral, Row>[]>,
    private readonly toItem: (row: Row) => Item,
  ) {}

  /** @throws TypeError when the list has no such sort. */
  async getPage(args: A, request: PageOf<Sort>): Promise<Page<Item>> {
    const { limit, after }: PageRequest = request;
    const { sort = 'id', direction = 'ASC' }: Partial<SortedPageRequest<string>> = request;
    const selects = this.selects.get(`${sort} ${direction}`);
    if (!selects) {
      const orders = [...this.selects.keys()].join(', ');
      throw new TypeError(`The list has no order "${sort} ${direction}": ${orders}.`);
    }
    const all: Args = {
      ...args,
      [AFTER_ID]: after?.id,
      [AFTER_VALUE]: sort === 'id' ? undefined : after?.value,
      // One row more than the limit shows that there is a next page.
      [ROWS]: BigInt(limit + 1),
    };
    return selects[combinationOf(this.optional, all)]!.getShared(all, (rows, isShared) => {
      const items = mapPage(pageOf(rows as readonly (Row & { id: bigint })[], limit, sort), this.toItem);
      return isShared ? frozenPage(items) : items;
    });
  }
}

/** Every set of these names, each at the place that `combinationOf` has for it. */
export function combinations(names: readonly string[]): ReadonlySet<string>[] {
  return Array.from(
    { length: 2 ** names.length },
    (_, bits) => new Set(names.filter((_name, index) => bits & (1 << index))),
  );
}

function combinationOf(names: readonly string[], args: Args): number {
  return names.reduce((bits, name, index) => (args[name] === undefined ? bits : bits | (1 << index)), 0);
}

/**
 * Adds a filter for each of these columns.
 *
 * PostgreSQL plans a statement without its values. For `status = …` alone it would expect as many rows as the statuses
 * have on average: all of them when there is only one, and then it would read the table in the order of ids until it has
 * found enough. It expects few rows of a range, so it takes the index of the column.
 */
export function addEqual<R extends ObjectLiteral>(
  builder: SelectQueryBuilder<R>,
  columns: readonly string[],
  isPostgres: boolean,
): void {
  for (const name of columns) {
    const column = `${builder.alias}.${name}`;
    const andFew = isPostgres ? ` AND ${column} BETWEEN :${name} AND :${name}` : '';
    builder.andWhere(`${column} = :${name}${andFew}`);
  }
}

/** Adds the sort of a list and the start of a page. */
export function addSort<R extends ObjectLiteral>(
  builder: SelectQueryBuilder<R>,
  sort: string,
  direction: 'ASC' | 'DESC',
  isContinued: boolean,
): void {
  const columns = sort === 'id' ? ['id'] : [sort, 'id'];
  const names = columns.map((name) => `${builder.alias}.${name}`);
  const place = sort === 'id' ? `:${AFTER_ID}` : `:${AFTER_VALUE}, :${AFTER_ID}`;
  const isAfter = direction === 'ASC' ? '>' : '<';
  if (isContinued) builder.andWhere(`(${names.join(', ')}) ${isAfter} (${place})`);
  for (const name of names) builder.addOrderBy(name, direction);
}

/** @throws TypeError when pages sorted by the column would lose rows, or a cursor could not contain its values. */
export function requireSortable({ name, columns }: EntityMetadata, sort: string): void {
  const column = columns.find(({ propertyPath }) => propertyPath === sort);
  if (!column || column.isNullable || column.transformer || !SORTABLE.has(column.type)) {
    throw new TypeError(`${name} cannot be sorted by ${sort}: only by bigint and text that is never null.`);
  }
}
