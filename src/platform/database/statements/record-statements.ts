import type {
  DataSource,
  DeleteQueryBuilder,
  InsertQueryBuilder,
  ObjectLiteral,
  SelectQueryBuilder,
  UpdateQueryBuilder,
} from 'typeorm';
import { type AnyQueryBuilder, CompiledStatement, type Given } from './compiled-statement.js';
import { continued, ListStatement, requireSortable } from './list-statement.js';
import { Placeholders } from './placeholder.js';
import { type ShapeRules, StatementShapes } from './statement-shapes.js';
import { InsertStatement, SelectStatement, type StatementDatabase, WriteStatement } from './statement.js';

/** The keys of arguments that may be left out. */
type OptionalKey<A> = { [K in keyof A]-?: undefined extends A[K] ? K : never }[keyof A] & string;
type NoArguments = Readonly<Record<never, never>>;

export interface SelectOptions<A> {
  /** The arguments that may be left out: the function that builds the statement then finds them undefined. */
  readonly optional?: readonly OptionalKey<A>[];
}

export interface ListOptions<A, Sort> extends SelectOptions<A> {
  /** What the list may be sorted by, in both directions, each with an index; left out, it is in the order of the ids. */
  readonly sorts?: readonly Sort[];
}

/** What SQL text calls a record's table and columns. */
export interface RecordNames<R> {
  readonly table: string;
  /** By property. */
  readonly columns: Readonly<Record<keyof R & string, string>>;
}

/** Every statement that was made, for whoever wants to see them all. */
export type StatementCatalogue = (() => readonly CompiledStatement[])[];

/**
 * Makes prepared statements about one record with TypeORM's query builder. A function that builds one is called when
 * the repository is made, with placeholders for its arguments: it hands them to the builder and looks at none.
 */
export class RecordStatements<R extends ObjectLiteral> {
  constructor(
    private readonly database: StatementDatabase,
    private readonly dataSource: DataSource,
    private readonly catalogue: StatementCatalogue,
    private readonly record: new () => R,
    private readonly alias: string,
  ) {}

  /** Rows by property name, as the record declares them; `Row` says so where the builder selects something else. */
  select<A extends object = NoArguments, Row extends object = R>(
    build: (builder: SelectQueryBuilder<R>, given: A) => SelectQueryBuilder<R>,
    { optional = [] }: SelectOptions<A> = {},
  ): SelectStatement<A, Row> {
    return new SelectStatement(this.database, this.shapes({ optional, choices: [] }, build));
  }

  /** A list in pages: `build` filters it; the sort, the place where a page starts and the limit are added to that. */
  list<A extends object = NoArguments, Sort extends keyof R & string = 'id'>(
    build: (builder: SelectQueryBuilder<R>, given: A) => SelectQueryBuilder<R>,
    { optional = [], sorts }: ListOptions<A, Sort> = {},
  ): ListStatement<A, R, Sort> {
    const metadata = this.dataSource.getMetadata(this.record);
    const columns = sorts ?? ['id'];
    for (const column of columns) requireSortable(metadata, column);
    const shapes = this.shapes<Given>(
      {
        optional: [...optional, 'page.afterId'],
        choices: [
          ['page.sort', columns],
          ['page.direction', sorts ? ['ASC', 'DESC'] : ['ASC']],
        ],
      },
      (builder, given) => continued(build(builder, given as A), given),
    );
    return new ListStatement(new SelectStatement(this.database, shapes));
  }

  /** Adds a row to a table that gives its rows their ids; `values` are all but that one. */
  insert<A extends object>(
    build: (builder: InsertQueryBuilder<R>, given: A) => InsertQueryBuilder<R>,
  ): InsertStatement<A> {
    const [generated] = this.dataSource.getMetadata(this.record).generatedColumns;
    if (!generated) throw new TypeError(`${this.record.name} has no generated id: use insertWithId().`);
    const isReturned = this.database.dialect === 'postgres';
    const returning = `${this.dataSource.driver.escape(generated.databaseName)} AS "id"`;
    const statement = this.write<A>((given) => {
      const builder = build(this.dataSource.createQueryBuilder().insert().into(this.record), given);
      // SQLite's driver tells the id; RETURNING would cost there as much again as the row itself.
      return isReturned ? builder.returning(returning) : builder;
    });
    return new InsertStatement(this.database, statement);
  }

  /** Adds a row that brings its own id. `orUpdate` takes the names of properties. */
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

  /** For what the builder cannot say: SQL text with `:name` placeholders, and the names that the record gives. */
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

  private shapes<A extends object>(
    rules: ShapeRules,
    build: (builder: SelectQueryBuilder<R>, given: A) => SelectQueryBuilder<R>,
  ): StatementShapes {
    const compile = (placeholders: Placeholders): CompiledStatement => {
      const builder = this.dataSource.createQueryBuilder(this.record, this.alias);
      return CompiledStatement.of(build(builder, placeholders.asArguments<A>()), placeholders);
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
