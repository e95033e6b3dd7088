import type { EntityMetadata, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { type Page, type PageRequest, SharedPage, type SortedPageRequest } from '@animal-store/kernel';
import type { Args } from './compiled-statement.js';
import type { SelectStatement } from './statement.js';

/** The arguments that a page adds to those of its list. */
export const AFTER_ID = 'page.afterId';
export const AFTER_VALUE = 'page.afterValue';
export const ROWS = 'page.rows';

/** Column types that a cursor can contain and that both databases compare in their sort order. */
const SORTABLE = new Set<unknown>(['bigint', 'int8', 'text', 'varchar']);

/** A column that may be given a list of values: a SELECT has one of them, and their rows are merged. */
export interface SeveralValues<Column> {
  readonly column: Column;
  /** The largest number of different values. */
  readonly max: number;
}

/** A list that is sorted by anything but the id needs a SortedPageRequest. One by id alone may have a direction. */
export type PageOf<Sort extends string> = [Sort] extends ['id']
  ? PageRequest & Partial<Pick<SortedPageRequest<Sort>, 'direction'>>
  : SortedPageRequest<Sort>;

type MakePage<Row, Item> = (rows: readonly Row[], isShared: boolean) => Page<Item>;

/** Bounds the memory. Callers usually use few limits. */
const MAX_PAGE_MAKERS = 1_000;

/**
 * A list read in pages, sorted by id, or by another column and then by id. Equal pages that are read at the same time
 * may be one SharedPage.
 */
export class ListStatement<
  A extends object,
  Row extends ObjectLiteral,
  Item extends object,
  Sort extends string,
> {
  private readonly pageMakers = new Map<string, MakePage<Row, Item>>();

  /**
   * @param optional the arguments that may be left out
   * @param selects of each sort and direction, as in `id ASC`: a statement for each of their combinations
   */
  constructor(
    private readonly optional: readonly string[],
    private readonly several: SeveralValues<string> | undefined,
    private readonly selects: ReadonlyMap<string, readonly (SelectStatement<ObjectLiteral, Row> | null)[]>,
    private readonly toItem: (row: Row) => Item,
  ) {}

  /** @throws TypeError when the list has no such sort, or accepts fewer values of a column. */
  async getPage(args: A, request: PageOf<Sort>): Promise<Page<Item>> {
    const { limit, after }: PageRequest = request;
    const { sort = 'id', direction = 'ASC' }: Partial<SortedPageRequest<string>> = request;
    const selects = this.selects.get(`${sort} ${direction}`);
    if (!selects) {
      const orders = [...this.selects.keys()].join(', ');
      throw new TypeError(`The list has no order "${sort} ${direction}": ${orders}.`);
    }
    const all: Args = {
      [AFTER_ID]: after?.id,
      [AFTER_VALUE]: sort === 'id' ? undefined : after?.value,
      // One row more than the limit shows that there is a next page.
      [ROWS]: BigInt(limit + 1),
      // Last: V8 adds fields slowly to an object that begins with a spread.
      ...(this.several ? spread(args as Args, this.several) : args),
    };
    return await selects[combinationOf(this.optional, all)]!.getShared(all, this.pageMaker(sort, limit));
  }

  /** One function for all equal pages, so that they share its result. */
  private pageMaker(sort: string, limit: number): MakePage<Row, Item> {
    const name = `${sort} ${limit}`;
    const known = this.pageMakers.get(name);
    if (known) return known;
    const make: MakePage<Row, Item> = (rows, isShared) => {
      const page = this.pageOf(rows, limit, sort);
      return isShared ? new SharedPage(page) : page;
    };
    if (this.pageMakers.size < MAX_PAGE_MAKERS) this.pageMakers.set(name, make);
    return make;
  }

  /** @param rows at most one more than the limit, which only shows that there is a next page */
  private pageOf(rows: readonly Row[], limit: number, sort: string): Page<Item> {
    const isLast = rows.length <= limit;
    const items = (isLast ? rows : rows.slice(0, limit)).map((row) => this.toItem(row));
    if (isLast) return { items, next: null };
    const { id, [sort]: value } = rows[limit - 1]! as Readonly<Record<string, bigint>>;
    return { items, next: sort === 'id' ? { id: id! } : { id: id!, value } };
  }
}

/** The argument for one of several values of a column, counted from 0. */
export function oneOf(column: string, index: number): string {
  return `${column}.${index}`;
}

/** The arguments with one for each value of the column. NULL, which equals no row, fills each that is not given. */
function spread(args: Args, { column, max }: SeveralValues<string>): Args {
  const { [column]: value, ...others } = args;
  if (!Array.isArray(value)) return args;
  const values = [...new Set<unknown>(value)];
  if (values.length > max) throw new TypeError(`The list accepts at most ${max} values of ${column}.`);
  if (values.length === 1) return { [column]: values[0], ...others };
  const alternatives = Array.from({ length: max }, (_, index) => [
    oneOf(column, index),
    values[index] ?? null,
  ]);
  return { ...others, ...(Object.fromEntries(alternatives) as Args) };
}

/** The SELECT once for each value of the column. */
export function ofEach(select: string, { column, max }: SeveralValues<string>): string[] {
  const argument = new RegExp(`:${column}\\b`, 'g');
  return Array.from({ length: max }, (_, index) => select.replace(argument, `:${oneOf(column, index)}`));
}

/**
 * The SQL that merges what the parts find. Each part reads an index in the order of the list and stops when the page is
 * full. With IN, or a comparison of rows on SQLite, the database would read many more rows.
 *
 * @param end the order and the limit of the page
 */
export function merged(parts: readonly string[], end: string, isPostgres: boolean): string {
  // PostgreSQL expects few rows of a part, and would read and sort them all. SQLite merges parts without an end.
  const ended = isPostgres ? parts.map((part) => `(${part}${end})`) : parts;
  return ended.join(' UNION ALL ') + end;
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
 * have on average: all of them when there is only one, and then it would read the table in the order of ids until it
 * has found enough. It expects few rows of a range, so it uses the index that ends with the last column. With a range
 * of each column it would expect one row of every index, and use any.
 */
export function addEqual<R extends ObjectLiteral>(
  builder: SelectQueryBuilder<R>,
  columns: readonly string[],
  isPostgres: boolean,
): void {
  for (const name of columns) {
    const column = `${builder.alias}.${name}`;
    const andFew =
      isPostgres && name === columns.at(-1) ? ` AND ${column} BETWEEN :${name} AND :${name}` : '';
    builder.andWhere(`${column} = :${name}${andFew}`);
  }
}

/**
 * Adds the start of a page.
 * @param isSplit whether `splitAtStart` will follow
 */
export function addStart<R extends ObjectLiteral>(
  builder: SelectQueryBuilder<R>,
  sort: string,
  direction: 'ASC' | 'DESC',
  isSplit: boolean,
): void {
  const names = sortedBy(sort).map((name) => `${builder.alias}.${name}`);
  const after = direction === 'ASC' ? '>' : '<';
  if (isSplit)
    builder.andWhere(`${names[0]} = :${AFTER_VALUE}`).andWhere(`${names[1]} ${after} :${AFTER_ID}`);
  else {
    const place = sort === 'id' ? `:${AFTER_ID}` : `:${AFTER_VALUE}, :${AFTER_ID}`;
    builder.andWhere(`(${names.join(', ')}) ${after} (${place})`);
  }
}

const SPLIT = new RegExp(`= :${AFTER_VALUE} AND \\S+ ([<>]) :${AFTER_ID}`);

/**
 * A page that starts after a row of a sort by value: the rows with the same value, and those with a further one. SQLite
 * takes no more than the value from an index for a comparison of (value, id), and would read all rows with that value.
 */
export function splitAtStart(select: string): string[] {
  return [select, select.replace(SPLIT, `$1 :${AFTER_VALUE}`)];
}

/** The columns of a sort: the id breaks ties. */
export function sortedBy(sort: string): string[] {
  return sort === 'id' ? ['id'] : [sort, 'id'];
}

/** @throws TypeError when pages sorted by the column would lose rows, or a cursor could not contain its values. */
export function requireSortable({ name, columns }: EntityMetadata, sort: string): void {
  const column = columns.find(({ propertyPath }) => propertyPath === sort);
  if (!column || column.isNullable || column.transformer || !SORTABLE.has(column.type)) {
    throw new TypeError(
      `${name} cannot be sorted by ${sort}: only by bigint or text, never null, in a column without a transformer.`,
    );
  }
}
