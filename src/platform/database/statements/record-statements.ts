import type {
  DataSource,
  DeleteQueryBuilder,
  InsertQueryBuilder,
  ObjectLiteral,
  SelectQueryBuilder,
  UpdateQueryBuilder,
} from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { type Args, Arguments, takingArguments } from './argument.js';
import { type AnyQueryBuilder, CompiledStatement, isPostgres } from './compiled-statement.js';
import { insertOfMany } from './insert-of-many.js';
import { addEqual, addPage, ListStatement, requireSortable } from './list-statement.js';
import { InsertStatement, SelectStatement, type StatementDatabase, WriteStatement } from './statement.js';
import { Variants } from './variants.js';

/** The names of optional arguments. */
type OptionalKey<A> = { [K in keyof A]-?: undefined extends A[K] ? K : never }[keyof A] & string;
type NoArguments = Readonly<Record<never, never>>;

export interface SelectOptions<A> {
  /** The optional arguments. When one is left out, it is undefined in the function that builds the statement. */
  readonly optional?: readonly OptionalKey<A>[];
}

export interface ListOptions<Equal, Optional, Sort> {
  /** The columns to filter by: each has the value of the argument with its name. */
  readonly equal?: readonly Equal[];
  /** The optional arguments. The list is not filtered by one that is left out. */
  readonly optional?: readonly Optional[];
  /** The columns to sort by, each with an index and in both directions. Without it the list is sorted by id. */
  readonly sorts?: readonly Sort[];
}

/** The arguments of a list: its filters, and those of further conditions. */
type ListArguments<R, Equal extends keyof R, Optional, More> = More &
  Readonly<Pick<R, Exclude<Equal, Optional>>> & { readonly [K in Equal & Optional]?: R[K] | undefined };

/** The names of a record's table and columns in SQL. */
export interface RecordNames<R> {
  readonly table: string;
  /** The column of each property. */
  readonly columns: Readonly<Record<keyof R & string, string>>;
}

/** Every statement that was built, for tests and tools that inspect them. */
export type StatementCatalogue = (() => readonly { readonly sql: string }[])[];

type Build<Builder, A> = (builder: Builder, args: A) => Builder;

/**
 * Builds prepared statements on one record with TypeORM's query builder. The function that builds a statement is called
 * when the repository is created. It gets placeholders for the arguments: it must pass them to the builder and must not
 * read their values.
 */
export class RecordStatements<R extends ObjectLiteral> {
  private readonly dataSource: DataSource;
  private readonly bind: (value: unknown) => unknown;

  constructor(
    private readonly database: StatementDatabase,
    dataSource: DataSource,
    private readonly catalogue: StatementCatalogue,
    private readonly record: new () => R,
    private readonly alias: string,
  ) {
    this.dataSource = takingArguments(dataSource);
    this.bind = isPostgres(dataSource) ? (value) => value : toBoundBySqlite(dataSource);
  }

  /**
   * Reads rows by property name, as the record declares them. Declare `Row` when the builder selects something else.
   */
  select<A extends object = NoArguments, Row extends object = R>(
    build: Build<SelectQueryBuilder<R>, A>,
    { optional = [] }: SelectOptions<A> = {},
  ): SelectStatement<A, Row> {
    return new SelectStatement(this.database, this.variants(optional, build));
  }

  /**
   * Reads a list in pages. The sort, the start of the page and the limit are added here.
   * @param toItem makes an item of a row
   * @param more adds conditions that are not `column = value`
   */
  list<
    Item extends object,
    const Equal extends keyof R & string = never,
    const Sort extends keyof R & string = 'id',
    More extends object = NoArguments,
    const Optional extends string = never,
  >(
    toItem: (row: R) => Item,
    { equal = [], optional = [], sorts }: ListOptions<Equal, Optional, Sort> = {},
    more: Build<SelectQueryBuilder<R>, More> = (builder) => builder,
  ): ListStatement<ListArguments<R, Equal, Optional, More>, R, Item, Sort> {
    const selects = new Map<string, SelectStatement<Args, R>>();
    const inOrder = (sort: string, direction: 'ASC' | 'DESC') =>
      this.variants<Args>([...optional, 'page.afterId'], (builder, args) => {
        more(addEqual(builder, args, equal, isPostgres(this.dataSource)), args as More);
        return addPage(builder, args, sort, direction);
      });
    for (const sort of sorts ?? ['id']) {
      requireSortable(this.dataSource.getMetadata(this.record), sort);
      for (const direction of sorts ? (['ASC', 'DESC'] as const) : (['ASC'] as const))
        selects.set(`${sort} ${direction}`, new SelectStatement(this.database, inOrder(sort, direction)));
    }
    return new ListStatement(selects, toItem);
  }

  /** Inserts a row into a table that generates its ids. `values` has every column except the id. */
  insert<A extends object>(build: Build<InsertQueryBuilder<R>, A>): InsertStatement<A> {
    const metadata = this.dataSource.getMetadata(this.record);
    const [generated] = metadata.generatedColumns;
    if (!generated) throw new TypeError(`${this.record.name} has no generated id: use insertWithId().`);
    const args = this.arguments();
    const builder = build(this.dataSource.createQueryBuilder().insert().into(this.record), args.seen<A>());
    // SQLite's driver returns the id; RETURNING would double the cost of the insert.
    if (!isPostgres(this.dataSource))
      return new InsertStatement(this.database, this.catalogued(builder, args), null);
    const returning = `${this.dataSource.driver.escape(generated.databaseName)} AS "id"`;
    const statement = this.catalogued(builder.returning(returning), args);
    const many = insertOfMany(builder, metadata, statement.valueCount, returning);
    if (many !== null) this.catalogue.push(() => [{ sql: many }]);
    return new InsertStatement(this.database, statement, many);
  }

  /** Inserts a row that has its id already. `orUpdate` takes the names of properties. */
  insertWithId<A extends object>(build: Build<InsertQueryBuilder<R>, A>): WriteStatement<A> {
    return this.write((builder, args) => build(builder.insert().into(this.record), args));
  }

  update<A extends object>(build: Build<UpdateQueryBuilder<R>, A>): WriteStatement<A> {
    return this.write((builder, args) => build(builder.update(this.record), args));
  }

  delete<A extends object>(build: Build<DeleteQueryBuilder<R>, A>): WriteStatement<A> {
    return this.write((builder, args) => build(builder.delete().from(this.record), args));
  }

  /**
   * For what the query builder cannot express: SQL text with `:name` placeholders, and the names of the record's table
   * and columns.
   */
  sql<A extends object = NoArguments, Row extends object = R>(
    text: (names: RecordNames<R>) => string,
  ): SelectStatement<A, Row> {
    const { driver } = this.dataSource;
    const metadata = this.dataSource.getMetadata(this.record);
    const columns = metadata.columns.map(({ propertyPath, databaseName }) => [
      propertyPath,
      driver.escape(databaseName),
    ]);
    const names = {
      table: driver.escape(metadata.tableName),
      columns: Object.fromEntries(columns) as RecordNames<R>['columns'],
    };
    const compile = (like: Args) =>
      CompiledStatement.ofText(text(names), this.arguments(like), this.dataSource);
    return new SelectStatement(this.database, this.cataloguedVariants([], compile));
  }

  private variants<A extends object>(
    optional: readonly string[],
    build: Build<SelectQueryBuilder<R>, A>,
  ): Variants {
    return this.cataloguedVariants(optional, (like) => {
      const args = this.arguments(like, optional);
      const builder = this.dataSource.createQueryBuilder(this.record, this.alias);
      return CompiledStatement.of(build(builder, args.seen<A>()), args);
    });
  }

  private write<A extends object>(
    build: (builder: SelectQueryBuilder<ObjectLiteral>, args: A) => AnyQueryBuilder<R>,
  ): WriteStatement<A> {
    const args = this.arguments();
    const empty = this.dataSource.createQueryBuilder() as SelectQueryBuilder<ObjectLiteral>;
    const builder = build(empty, args.seen<A>());
    return new WriteStatement(this.database, this.catalogued(builder, args));
  }

  private arguments(like: Args = {}, optional: readonly string[] = []): Arguments {
    return new Arguments(like, optional, this.bind);
  }

  private catalogued(builder: AnyQueryBuilder<R>, args: Arguments): CompiledStatement {
    const statement = CompiledStatement.of(builder, args);
    this.catalogue.push(() => [statement]);
    return statement;
  }

  private cataloguedVariants(
    optional: readonly string[],
    build: (like: Args) => CompiledStatement,
  ): Variants {
    const variants = new Variants(optional, build);
    this.catalogue.push(() => variants.all());
    return variants;
  }
}

/** SQLite has neither booleans nor dates, so they are stored the way TypeORM stores them. */
function toBoundBySqlite({ driver }: DataSource): (value: unknown) => unknown {
  const types = { boolean: { type: 'boolean' }, object: { type: 'datetime' } };
  return (value) =>
    typeof value === 'boolean' || value instanceof Date
      ? (driver.preparePersistentValue(value, types[typeof value as 'boolean'] as ColumnMetadata) as unknown)
      : value;
}
