import type { Transaction } from '@animal-store/kernel';
import type { DataSource, EntityMetadata, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { ChangeOrder } from './change-order.js';
import { CompiledStatement, isPostgres } from './compiled-statement.js';
import {
  addEqual,
  addStart,
  AFTER_ID,
  AFTER_VALUE,
  combinations,
  ListStatement,
  merged,
  ofEach,
  oneOf,
  requireSortable,
  ROWS,
  type SeveralValues,
  sortedBy,
  splitAtStart,
} from './list-statement.js';
import { keyOfTable } from './row-key.js';
import { InsertStatement, SelectStatement, type StatementDatabase, WriteStatement } from './statement.js';

export type NoArguments = Readonly<Record<never, never>>;
type Build<R extends ObjectLiteral> = (builder: SelectQueryBuilder<R>) => SelectQueryBuilder<R>;

/** The time of PostgreSQL, in milliseconds since the Unix epoch. */
const NOW_MS = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)';

/** The attempt to lock a name. */
export interface Lock {
  readonly isLocked: boolean;
  /** The time of PostgreSQL; null on SQLite. */
  readonly nowMs: number | null;
}

/** The columns by which rows are found: each has the value of the argument with its name. */
export interface RowsWhere<Equal> {
  readonly equal: readonly [Equal, ...Equal[]];
}

export interface ListOptions<Equal, Optional, Several, Sort> {
  /** The columns to filter by: each has the value of the argument with its name. */
  readonly equal?: readonly Equal[];
  /** The optional arguments. The list is not filtered by one that is left out. */
  readonly optional?: readonly Optional[];
  /** The column of these that accepts a list of values, too. An empty list finds nothing. */
  readonly several?: SeveralValues<Several>;
  /** The columns to sort by, each with an index and in both directions. Without it the list is sorted by id. */
  readonly sorts?: readonly Sort[];
}

/** The arguments of a list: its filters, and those of further conditions. */
export type ListArguments<R, Equal extends keyof R, Optional, Several, More> = More & {
  readonly [K in Exclude<Equal, Optional>]: Given<R[K], K, Several>;
} & { readonly [K in Equal & Optional]?: Given<R[K], K, Several> | undefined };
type Given<Value, Column, Several> = Column extends Several ? Value | readonly Value[] : Value;

/** The names of a record's table and columns in SQL. */
export interface RecordNames<R> {
  readonly table: string;
  /** The column of each property. */
  readonly columns: Readonly<Record<keyof R & string, string>>;
  /** The columns of its primary key. */
  readonly key: string;
}

/** A statement that was built, for tests and tools that inspect them all. */
export interface BuiltStatement {
  readonly sql: string;
  /** The table of its record. */
  readonly table: string;
  /** Why tests let it read a whole table or sort its rows; null when they do not. */
  readonly exception: string | null;
  /** Null for the text in which an INSERT has many rows. */
  readonly statement: CompiledStatement | null;
}

export type OnStatement = (built: BuiltStatement) => void;

/**
 * Builds prepared statements on one record. In their texts, `:name` is the argument of that name, whose value
 * comes when the statement runs.
 */
export class RecordStatements<R extends ObjectLiteral> {
  private readonly metadata: EntityMetadata;
  private readonly names: RecordNames<R>;

  constructor(
    private readonly database: StatementDatabase,
    private readonly dataSource: DataSource,
    private readonly onStatement: OnStatement,
    private readonly record: new () => R,
    private readonly alias: string,
    private readonly exception: string | null = null,
  ) {
    const escape = (name: string) => dataSource.driver.escape(name);
    if (!dataSource.hasMetadata(record))
      throw new TypeError(
        `${record.name} is no record of this database: add it to the tables that the database is opened with.`,
      );
    this.metadata = dataSource.getMetadata(record);
    const { tableName, columns, primaryColumns } = this.metadata;
    const escaped = columns.map(({ propertyPath, databaseName }) => [propertyPath, escape(databaseName)]);
    this.names = {
      table: escape(tableName),
      columns: Object.fromEntries(escaped) as RecordNames<R>['columns'],
      key: primaryColumns.map(({ databaseName }) => escape(databaseName)).join(', '),
    };
  }

  get table(): string {
    return this.metadata.tableName;
  }

  /** The properties of a row, in their order in what is read. */
  get properties(): readonly (keyof R & string)[] {
    return Object.keys(this.names.columns);
  }

  /** Builds statements that, for this reason, may read a whole table or sort its rows; tests refuse others. */
  except(reason: string): RecordStatements<R> {
    const { database, dataSource, onStatement, record, alias } = this;
    return new RecordStatements(database, dataSource, onStatement, record, alias, reason);
  }

  /**
   * Reads rows by property name, as the record declares them. Declare `Row` when the builder selects something else.
   * @param limit the argument with the most rows to read; a limit that is always the same is `.limit()` of the builder
   */
  select<A extends object = NoArguments, Row extends object = R>(
    build: Build<R>,
    { limit }: { readonly limit?: keyof A & string } = {},
  ): SelectStatement<A, Row> {
    const builder = build(this.dataSource.createQueryBuilder(this.record, this.alias));
    const end = limit === undefined ? '' : this.limitedBy(limit);
    const statement = CompiledStatement.ofSelect(builder, (select) => select + end);
    return new SelectStatement(this.database, this.catalogued(statement));
  }

  /** Reads the rows with these values, locked until the transaction ends when `lock` says so. */
  find<const Equal extends keyof R & string>({
    equal,
    lock,
  }: RowsWhere<Equal> & { readonly lock?: boolean }) {
    return this.select<Pick<R, Equal>>((builder) => {
      builder.where(equal.map((name) => `${this.alias}.${name} = :${name}`).join(' AND '));
      return lock ? builder.setLock('pessimistic_write') : builder;
    });
  }

  /**
   * Reads a list in pages. The sort, the start of the page and the limit are added here.
   * @param toItem makes an item of a row alone, as equal rows may have the same item
   * @param more adds conditions that are not `column = value`. An optional argument that is left out is undefined
   * there; of the others there is no value yet.
   */
  list<
    Item extends object,
    const Equal extends keyof R & string = never,
    const Sort extends keyof R & string = 'id',
    More extends object = NoArguments,
    const Optional extends string = never,
    const Several extends Equal = never,
  >(
    toItem: (row: R) => Item,
    { equal = [], optional = [], several, sorts }: ListOptions<Equal, Optional, Several, Sort> = {},
    more: (builder: SelectQueryBuilder<R>, args: More) => SelectQueryBuilder<R> = (builder) => builder,
  ): ListStatement<ListArguments<R, Equal, Optional, Several, More>, R, Item, Sort> {
    const { dataSource } = this;
    const limit = this.limitedBy(ROWS);
    // The first of several values represents all of them; then the column is not given as one value, too.
    const names = [...optional, AFTER_ID, ...(several ? [oneOf(several.column, 0)] : [])];
    const inOrder = (sort: string, direction: 'ASC' | 'DESC') =>
      combinations(names).map((present) => {
        const isSeveral = several !== undefined && present.has(oneOf(several.column, 0));
        if (isSeveral && present.has(several.column)) return null;
        const isFiltered = (name: string) => present.has(name) || (isSeveral && name === several.column);
        const filters = equal.filter((name) => isFiltered(name) || !names.includes(name));
        const builder = dataSource.createQueryBuilder(this.record, this.alias);
        addEqual(builder, filters, isPostgres(dataSource));
        more(builder, Object.fromEntries([...present].map((name) => [name, true])) as More);
        const isSplit = present.has(AFTER_ID) && sort !== 'id' && !isPostgres(dataSource);
        if (present.has(AFTER_ID)) addStart(builder, sort, direction, isSplit);
        if (isSeveral || isSplit) {
          const byName = sortedBy(sort).map((name) => `"${name}" ${direction}`);
          const end = ` ORDER BY ${byName.join(', ')}${limit}`;
          const ofAll = (select: string) => {
            const parts = isSplit ? splitAtStart(select) : [select];
            const all = isSeveral ? parts.flatMap((part) => ofEach(part, several)) : parts;
            return merged(all, end, isPostgres(dataSource));
          };
          return this.page(CompiledStatement.ofSelect(builder, ofAll, false), names);
        }
        for (const name of sortedBy(sort)) builder.addOrderBy(`${this.alias}.${name}`, direction);
        return this.page(
          CompiledStatement.ofSelect(builder, (select) => select + limit),
          names,
        );
      });
    for (const sort of sorts ?? []) requireSortable(this.metadata, sort);
    const directions = sorts ? (['ASC', 'DESC'] as const) : (['ASC'] as const);
    const selects = (sorts ?? ['id']).flatMap((sort) =>
      directions.map((direction) => [`${sort} ${direction}`, inOrder(sort, direction)] as const),
    );
    return new ListStatement(names, several, new Map(selects), toItem);
  }

  /**
   * Inserts a row into a table that generates its ids.
   * @param written the columns whose values are passed; all but the id when left out
   */
  insert<const Column extends keyof R & string = Exclude<keyof R & string, 'id'>>(
    written?: readonly Column[],
  ): InsertStatement<Pick<R, Column>> {
    const { dataSource, database } = this;
    const generated = this.generatedColumn();
    const others = this.metadata.columns.filter((column) => column !== generated);
    const columns = this.inOrder(written ?? others.map(({ propertyPath }) => propertyPath as Column));
    const into = this.inserting(columns);
    // SQLite's driver returns the id, at less cost than RETURNING.
    if (!isPostgres(dataSource)) return new InsertStatement(database, this.writing(into.getQuery(), columns));
    const { databaseName, propertyPath: id } = generated;
    const text = into.returning(`${dataSource.driver.escape(databaseName)} AS "id"`).getQuery();
    const many = this.insertOfMany(text, columns);
    const statement = this.writing(text, columns);
    const sequence = `pg_get_serial_sequence('${this.names.table}', '${databaseName}')::regclass`;
    const draw = `SELECT nextval((SELECT ${sequence})) AS "id" FROM generate_series(1, $1)`;
    this.built(draw, null);
    const withId = this.inOrder([id as Column, ...columns]);
    const { sql: insert } = this.insertWithId(withId);
    const drawn = { draw, insert, place: withId.indexOf(id as Column) };
    return new InsertStatement(database, statement, many, drawn);
  }

  /**
   * Inserts a row that has its id already.
   * @param columns the columns whose values it is given; without it all
   * @param replaces the columns of a unique key: a row with the same key gets the other values
   */
  insertWithId<const Column extends keyof R & string>(
    columns: readonly Column[] = this.metadata.columns.map(({ propertyPath }) => propertyPath as Column),
    { replaces = [] }: { readonly replaces?: readonly Column[] } = {},
  ): WriteStatement<Pick<R, Column>> {
    const written = this.inOrder(columns);
    const into = this.inserting(written);
    const namesOf = (properties: readonly string[]) =>
      this.columnsOf(properties).map(({ databaseName }) => databaseName);
    const others = written.filter((name) => !replaces.includes(name));
    if (replaces.length > 0) into.orUpdate(namesOf(others), namesOf(replaces));
    const text = into.getQuery();
    const statement = this.writing(text, written, written);
    const isByKey = this.metadata.primaryColumns.every(({ propertyPath }) =>
      replaces.includes(propertyPath as Column),
    );
    const does =
      replaces.length === 0
        ? 'insert'
        : isByKey && replaces.length === this.metadata.primaryColumns.length
          ? 'replace'
          : undefined;
    return new WriteStatement(this.database, statement, this.insertOfMany(text, written), does);
  }

  /**
   * Changes these columns of the rows.
   * @param where a further condition, which may use the columns that change
   */
  update<const Column extends keyof R & string, const Equal extends keyof R & string>(
    columns: readonly Column[],
    { equal, where }: RowsWhere<Equal> & { readonly where?: (names: RecordNames<R>['columns']) => string },
  ): WriteStatement<Pick<R, Column | Equal>> {
    const also = where ? ` AND ${where(this.names.columns)}` : '';
    const builder = this.dataSource.createQueryBuilder().update(this.record).set(argumentsOf<R>(columns));
    const text = builder.where(isEqual(equal)).updateEntity(false).getQuery() + also;
    const written = [...columns, ...equal];
    const statement = this.writing(text, written, this.isKeyIn(columns) ? [] : equal);
    const many = this.updateOfMany(columns, equal);
    return new WriteStatement(this.database, statement, this.ofMany(many && many + also), 'change');
  }

  delete<const Equal extends keyof R & string>({ equal }: RowsWhere<Equal>): WriteStatement<Pick<R, Equal>> {
    const builder = this.dataSource.createQueryBuilder().delete().from(this.record);
    const text = builder.where(isEqual(equal)).getQuery();
    return new WriteStatement(this.database, this.writing(text, equal, equal), null, 'change');
  }

  /**
   * For what the others cannot express: SQL text with `:name` placeholders, and the names of the record's table and
   * columns. What it returns under the name of a property is read as the record declares it.
   */
  sql<A extends object = NoArguments, Row extends object = R>(
    text: (names: RecordNames<R>) => string,
  ): SelectStatement<A, Row> {
    const statement = new CompiledStatement(this.dataSource, text(this.names), {
      read: this.metadata.columns,
    });
    return new SelectStatement(this.database, this.catalogued(statement));
  }

  /** SQL text that returns nothing: on PostgreSQL it is sent with the next statement, or with the commit. */
  write<A extends object>(text: (names: RecordNames<R>) => string): WriteStatement<A> {
    return new WriteStatement(
      this.database,
      this.catalogued(new CompiledStatement(this.dataSource, text(this.names))),
    );
  }

  /**
   * What makes transactions take turns until they end, so that they commit in the order of what they read after it.
   * SQLite has one writer at a time anyway. Each table has its own.
   */
  turn(): (transaction: Transaction) => Promise<void> {
    if (!isPostgres(this.dataSource)) return () => Promise.resolve();
    const lock = this.sql(
      () => `SELECT pg_advisory_xact_lock(hashtextextended('turns of ${this.table}', 0))`,
    );
    return async (transaction) => void (await lock.getOne({}, transaction));
  }

  /** The order of the changes of a record with an indexed `changedAtMs`, for a `ChangeFeed`. They take turns. */
  changes(this: RecordStatements<R & { changedAtMs: number | null }>): ChangeOrder<R> {
    const changedAt = `${this.alias}.changedAtMs`;
    const isNullable = this.metadata.findColumnWithPropertyName('changedAtMs')?.isNullable === true;
    // PostgreSQL reads all of a table for MAX() when it believes that there are few rows.
    const latest = this.select<object, { changedAtMs: number | null }>((row) => {
      const last = row.select(changedAt).orderBy(changedAt, 'DESC').limit(1);
      return isNullable ? last.where(`${changedAt} IS NOT NULL`) : last;
    });
    const changed = this.select<{ afterMs: number; limit: number }, R>(
      (row) => row.where(`${changedAt} > :afterMs`).orderBy(changedAt),
      { limit: 'limit' },
    );
    return new ChangeOrder(this.turn(), latest, changed);
  }

  /**
   * What locks a name until the transaction ends, without waiting: not when another transaction has locked it. SQLite
   * has one writer at a time anyway. It comes with the time of the database, which on SQLite is that of the process:
   * null.
   */
  tryLock(): (name: string, transaction: Transaction) => Promise<Lock> {
    if (!isPostgres(this.dataSource)) return () => Promise.resolve({ isLocked: true, nowMs: null });
    // The query builder cannot lock without a row.
    const text = `SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0)) AS "isLocked", ${NOW_MS} AS "nowMs"`;
    const key = { table: 'advisory locks', names: ['name'], types: ['text'] };
    const parts = { key, groupable: { names: ['isLocked', 'nowMs'], order: [] } };
    const statement = this.catalogued(new CompiledStatement(this.dataSource, text, parts));
    const lock = new SelectStatement<{ name: string }, Record<keyof Lock, unknown>>(this.database, statement);
    return async (name, transaction) => {
      const { isLocked, nowMs } = (await lock.getOne({ name }, transaction))!;
      return { isLocked: isLocked === true, nowMs: Number(nowMs) };
    };
  }

  /** The time of the database, which on SQLite is that of the process: null. */
  time(): () => Promise<number | null> {
    if (!isPostgres(this.dataSource)) return () => Promise.resolve(null);
    const time = this.sql<NoArguments, { nowMs: unknown }>(() => `SELECT ${NOW_MS} AS "nowMs"`);
    return async () => Number((await time.getOne({}))!.nowMs);
  }

  private limitedBy(argument: string): string {
    // SQLite plans with the value of a parameter that is all of a LIMIT: it would compile the statement again each time
    // the value is bound.
    return isPostgres(this.dataSource) ? ` LIMIT :${argument}` : ` LIMIT CAST(:${argument} AS INTEGER)`;
  }

  private generatedColumn(): ColumnMetadata {
    const [generated] = this.metadata.generatedColumns;
    if (!generated) throw new TypeError(`${this.record.name} has no generated id: use insertWithId().`);
    return generated;
  }

  private page(statement: CompiledStatement, optional: readonly string[]): SelectStatement<ObjectLiteral, R> {
    return new SelectStatement(this.database, this.catalogued(statement), [...optional, AFTER_VALUE]);
  }

  private inserting(columns: readonly (keyof R & string)[]) {
    const builder = this.dataSource
      .createQueryBuilder()
      .insert()
      .into(this.record, [...columns]);
    return builder.values(argumentsOf<R>(columns)).updateEntity(false);
  }

  /** The text of an INSERT with any number of rows instead of one. */
  private insertOfMany(text: string, columns: readonly string[]): string | null {
    const rows = rowsSql(this.columnsOf(columns), this.dataSource);
    const values = `VALUES (${columns.map((name) => `:${name}`).join(', ')})`;
    return this.ofMany(rows && text.replace(values, rows));
  }

  /** TypeORM inserts columns in the order of the record. */
  private inOrder<Column extends keyof R & string>(columns: readonly Column[]): Column[] {
    return this.metadata.columns
      .map(({ propertyPath }) => propertyPath as Column)
      .filter((name) => columns.includes(name));
  }

  private updateOfMany(columns: readonly string[], equal: readonly string[]): string | null {
    const rows = arraysSql(this.columnsOf([...columns, ...equal]), this.dataSource);
    if (rows === null) return null;
    const { table, columns: names } = this.names;
    const name = (property: string) => names[property as keyof R & string];
    const set = columns.map((property, index) => `${name(property)} = ${valueName(index)}`).join(', ');
    // PostgreSQL finds the rows by their indexes, whatever its estimate of the table's size.
    const where = equal.flatMap((property, index) => {
      const place = columns.length + index;
      const column = `${table}.${name(property)}`;
      return [`${column} = ${valueName(place)}`, `${column} = ANY($${place + 1})`];
    });
    return `UPDATE ${table} SET ${set} FROM ${rows} WHERE ${where.join(' AND ')}`;
  }

  /** Puts the text in which a statement has many rows into the catalogue. */
  private ofMany(sql: string | null): string | null {
    if (sql) this.built(sql, null);
    return sql;
  }

  private columnsOf(properties: readonly string[]): ColumnMetadata[] {
    return properties.map((name) => this.metadata.findColumnWithPropertyPath(name)!);
  }

  /** @param named the columns whose arguments say which row it is */
  private writing(
    text: string,
    columns: readonly string[],
    named: readonly string[] = [],
  ): CompiledStatement {
    const written = this.columnsOf(columns);
    const key = keyOfTable(this.metadata, (property) => named.find((name) => name === property));
    return this.catalogued(new CompiledStatement(this.dataSource, text, { written, key }));
  }

  private isKeyIn(columns: readonly string[]): boolean {
    return this.metadata.primaryColumns.some(({ propertyPath }) => columns.includes(propertyPath));
  }

  private catalogued(statement: CompiledStatement): CompiledStatement {
    this.built(statement.sql, statement);
    return statement;
  }

  private built(sql: string, statement: CompiledStatement | null): void {
    this.onStatement({ sql, table: this.table, exception: this.exception, statement });
  }
}

/** The values of a statement that writes: each column has the argument of its name. */
function argumentsOf<R extends ObjectLiteral>(columns: readonly string[]) {
  const values = columns.map((name) => [name, () => `:${name}`]);
  return Object.fromEntries(values) as QueryDeepPartialEntity<R>;
}

function isEqual(columns: readonly string[]): string {
  return columns.map((name) => `${name} = :${name}`).join(' AND ');
}

/** Types whose values PostgreSQL reads from an array exactly as it reads them from a parameter. */
const UNCHANGED_IN_ARRAYS = new Set([
  'bigint',
  'boolean',
  'character varying',
  'double precision',
  'integer',
  'smallint',
  'text',
  'timestamp with time zone',
  'timestamp without time zone',
  'uuid',
]);

/** What an INSERT of PostgreSQL has instead of VALUES, for any number of rows. Ids are in their order. */
function rowsSql(columns: readonly ColumnMetadata[], dataSource: DataSource): string | null {
  const rows = arraysSql(columns, dataSource);
  return rows && `SELECT ${valueNames(columns)} FROM ${rows} ORDER BY position`;
}

/**
 * Rows that are given to PostgreSQL: each parameter is an array with a value for each row. Null on SQLite, and when a
 * column has a type that an array may change.
 */
function arraysSql(columns: readonly ColumnMetadata[], dataSource: DataSource): string | null {
  if (!isPostgres(dataSource)) return null;
  const { driver } = dataSource;
  const types = columns.map((column) => (column.isArray ? 'array' : driver.normalizeType(column)));
  if (!types.every((type) => UNCHANGED_IN_ARRAYS.has(type))) return null;
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  return `unnest(${arrays}) WITH ORDINALITY AS item(${valueNames(columns)}, position)`;
}

function valueNames(columns: readonly ColumnMetadata[]): string {
  return columns.map((_, index) => valueName(index)).join(', ');
}

function valueName(index: number): string {
  return `value_${index + 1}`;
}
