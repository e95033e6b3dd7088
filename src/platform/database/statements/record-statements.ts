import type {
  DataSource,
  DeleteQueryBuilder,
  InsertQueryBuilder,
  ObjectLiteral,
  SelectQueryBuilder,
  UpdateQueryBuilder,
} from 'typeorm';
import { type AnyQueryBuilder, CompiledStatement, type Given } from './compiled-statement.js';
import { insertOfMany } from './insert-of-many.js';
import { addPage, ListStatement, requireSortable } from './list-statement.js';
import { Placeholders } from './placeholder.js';
import { type ShapeRules, StatementShapes } from './statement-shapes.js';
import { InsertStatement, SelectStatement, type StatementDatabase, WriteStatement } from './statement.js';
import { ValidatedListStatement, validatorOf, withValidator } from './validated-list.js';

/** The names of optional arguments. */
type OptionalKey<A> = { [K in keyof A]-?: undefined extends A[K] ? K : never }[keyof A] & string;
type NoArguments = Readonly<Record<never, never>>;

export interface SelectOptions<A> {
  /** The optional arguments. When one is left out, it is undefined in the function that builds the statement. */
  readonly optional?: readonly OptionalKey<A>[];
}

export interface ListOptions<A, Sort> extends SelectOptions<A> {
  /** The columns to sort by, each with an index and in both directions. Without it the list is sorted by id. */
  readonly sorts?: readonly Sort[];
}

/** The names of a record's table and columns in SQL. */
export interface RecordNames<R> {
  readonly table: string;
  /** The column of each property. */
  readonly columns: Readonly<Record<keyof R & string, string>>;
}

/** Every statement that was built, for tests and tools that inspect them. */
export type StatementCatalogue = (() => readonly { readonly sql: string }[])[];

/**
 * Builds prepared statements on one record with TypeORM's query builder. The function that builds a statement is called
 * when the repository is created. It gets placeholders for the arguments: it must pass them to the builder and must not
 * read their values.
 */
export class RecordStatements<R extends ObjectLiteral> {
  constructor(
    private readonly database: StatementDatabase,
    private readonly dataSource: DataSource,
    private readonly catalogue: StatementCatalogue,
    private readonly record: new () => R,
    private readonly alias: string,
  ) {}

  /**
   * Reads rows by property name, as the record declares them. Declare `Row` when the builder selects something else.
   */
  select<A extends object = NoArguments, Row extends object = R>(
    build: (builder: SelectQueryBuilder<R>, given: A) => SelectQueryBuilder<R>,
    { optional = [] }: SelectOptions<A> = {},
  ): SelectStatement<A, Row> {
    return new SelectStatement(this.database, this.shapes({ optional, choices: [] }, build));
  }

  /** Reads a list in pages. `build` adds the filters; the sort, the start of the page and the limit are added here. */
  list<A extends object = NoArguments, Sort extends keyof R & string = 'id'>(
    build: (builder: SelectQueryBuilder<R>, given: A) => SelectQueryBuilder<R>,
    { optional = [], sorts }: ListOptions<A, Sort> = {},
  ): ListStatement<A, R, Sort> {
    return new ListStatement(new SelectStatement(this.database, this.pages(build, { optional, sorts })));
  }

  /** A list by id with validators of its pages, for caches. Only on PostgreSQL, where other servers write too. */
  validatedList<A extends object = NoArguments>(
    build: (builder: SelectQueryBuilder<R>, given: A) => SelectQueryBuilder<R>,
    options: SelectOptions<A> = {},
  ): ValidatedListStatement<A, R> {
    return new ValidatedListStatement(
      new SelectStatement(this.database, this.pages(build, options, validatorOf)),
      new SelectStatement(this.database, this.pages(build, options, withValidator)),
    );
  }

  /** Inserts a row into a table that generates its ids. `values` has every column except the id. */
  insert<A extends object>(
    build: (builder: InsertQueryBuilder<R>, given: A) => InsertQueryBuilder<R>,
  ): InsertStatement<A> {
    const { driver } = this.dataSource;
    const metadata = this.dataSource.getMetadata(this.record);
    const [generated] = metadata.generatedColumns;
    if (!generated) throw new TypeError(`${this.record.name} has no generated id: use insertWithId().`);
    const isReturned = this.database.dialect === 'postgres';
    const returning = `${driver.escape(generated.databaseName)} AS "id"`;
    const statement = this.write<A>((given) => {
      const builder = build(this.dataSource.createQueryBuilder().insert().into(this.record), given);
      // SQLite's driver returns the id; RETURNING would double the cost of the insert.
      return isReturned ? builder.returning(returning) : builder;
    });
    const ofMany = isReturned ? insertOfMany(statement.sql, metadata, driver) : null;
    if (ofMany !== null) this.catalogue.push(() => [{ sql: ofMany }]);
    return new InsertStatement(this.database, statement, ofMany);
  }

  /** Inserts a row that has its id already. `orUpdate` takes the names of properties. */
  insertWithId<A extends object>(
    build: (builder: InsertQueryBuilder<R>, given: A) => InsertQueryBuilder<R>,
  ): WriteStatement<A> {
    const insert = () => this.dataSource.createQueryBuilder().insert().into(this.record);
    return new WriteStatement(
      this.database,
      this.write<A>((given) => build(insert(), given)),
    );
  }

  update<A extends object>(
    build: (builder: UpdateQueryBuilder<R>, given: A) => UpdateQueryBuilder<R>,
  ): WriteStatement<A> {
    const update = () => this.dataSource.createQueryBuilder().update(this.record);
    return new WriteStatement(
      this.database,
      this.write<A>((given) => build(update(), given)),
    );
  }

  delete<A extends object>(
    build: (builder: DeleteQueryBuilder<R>, given: A) => DeleteQueryBuilder<R>,
  ): WriteStatement<A> {
    const remove = () => this.dataSource.createQueryBuilder().delete().from(this.record);
    return new WriteStatement(
      this.database,
      this.write<A>((given) => build(remove(), given)),
    );
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
    const compile = () => CompiledStatement.ofText(text(names), this.dataSource);
    return new SelectStatement(
      this.database,
      this.catalogued(new StatementShapes({ optional: [], choices: [] }, compile)),
    );
  }

  /** The texts of a list in pages. */
  private pages<A extends object>(
    build: (builder: SelectQueryBuilder<R>, given: A) => SelectQueryBuilder<R>,
    { optional = [], sorts }: ListOptions<A, string>,
    wrap?: (list: CompiledStatement) => CompiledStatement,
  ): StatementShapes {
    const metadata = this.dataSource.getMetadata(this.record);
    const columns = sorts ?? ['id'];
    for (const column of columns) requireSortable(metadata, column);
    return this.shapes<Given>(
      {
        optional: [...optional, 'page.afterId'],
        choices: [
          ['page.sort', columns],
          ['page.direction', sorts ? ['ASC', 'DESC'] : ['ASC']],
        ],
      },
      (builder, given) => addPage(build(builder, given as A), given),
      wrap,
    );
  }

  private shapes<A extends object>(
    rules: ShapeRules,
    build: (builder: SelectQueryBuilder<R>, given: A) => SelectQueryBuilder<R>,
    wrap: (statement: CompiledStatement) => CompiledStatement = (statement) => statement,
  ): StatementShapes {
    const compile = (placeholders: Placeholders): CompiledStatement => {
      const builder = this.dataSource.createQueryBuilder(this.record, this.alias);
      return wrap(CompiledStatement.of(build(builder, placeholders.asArguments<A>()), placeholders));
    };
    return this.catalogued(new StatementShapes(rules, compile));
  }

  private write<A extends object>(build: (given: A) => AnyQueryBuilder<R>): CompiledStatement {
    const placeholders = new Placeholders();
    const statement = CompiledStatement.of(build(placeholders.asArguments<A>()), placeholders);
    this.catalogue.push(() => [statement]);
    return statement;
  }

  private catalogued(shapes: StatementShapes): StatementShapes {
    this.catalogue.push(() => shapes.all());
    return shapes;
  }
}
