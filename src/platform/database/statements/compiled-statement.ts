import type {
  DataSource,
  DeleteQueryBuilder,
  EntityMetadata,
  InsertQueryBuilder,
  ObjectLiteral,
  SelectQueryBuilder,
  UpdateQueryBuilder,
} from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { SqlValue } from '../sql-session.js';
import { Argument, type Args, type Arguments, isStoredAsItIs } from './argument.js';
import { type Groupable, groupable } from './grouped-statement.js';

export type AnyQueryBuilder<R extends ObjectLiteral> =
  SelectQueryBuilder<R> | InsertQueryBuilder<R> | UpdateQueryBuilder<R> | DeleteQueryBuilder<R>;

type ExpressionMap = AnyQueryBuilder<ObjectLiteral>['expressionMap'];
type FromStored = readonly (readonly [property: string, convert: (value: unknown) => unknown])[];

/** A query builder compiled to SQL: the text, which never changes, and the sources of its values. */
export class CompiledStatement {
  private constructor(
    readonly sql: string,
    /** An argument or a constant for each placeholder. */
    private readonly sources: readonly unknown[],
    /** The arguments that are lists of values. */
    readonly lists: readonly string[],
    private readonly fromStored: FromStored = [],
    /** Whether it locks the rows that it reads, which requires a transaction. */
    readonly isLocking = false,
    /** What reads that are grouped with others must know; null when each must run as it is. */
    readonly groupable: Groupable | null = null,
  ) {}

  /** @throws TypeError when the statement cannot be prepared once for all arguments. */
  static of<R extends ObjectLiteral>(builder: AnyQueryBuilder<R>, args: Arguments): CompiledStatement {
    const { dataSource, expressionMap } = builder;
    const { metadata } = expressionMap.mainAlias!;
    const columns = expressionMap.queryType === 'select' ? nameColumns(expressionMap, metadata) : [];
    nameConflicting(expressionMap, metadata);
    // Throws when the arguments are passed on as a whole, where TypeORM would ask for every column.
    Object.keys(expressionMap.valuesSet ?? {});
    const isLocking = expressionMap.lockMode !== undefined;
    // SQLite has no row locks and needs none, as it has one writer at a time. TypeORM refuses to build one for it.
    if (!isPostgres(dataSource)) expressionMap.lockMode = undefined;
    const canGroup = isPostgres(dataSource) && !isLocking && expressionMap.queryType === 'select';
    const query = builder.getQuery();
    // After getQuery(), which turns constants into parameters.
    const [sql, sources] = fill(query, builder.getParameters(), args, dataSource);
    return new CompiledStatement(
      sql,
      sources,
      [...args.lists],
      columns.flatMap((column) => conversion(column, dataSource)),
      isLocking,
      canGroup ? groupable(expressionMap, columns) : null,
    );
  }

  /** Compiles SQL text with `:name` placeholders. */
  static ofText(text: string, args: Arguments, dataSource: DataSource): CompiledStatement {
    const names = Array.from(text.matchAll(/(?<!:):(?:\.\.\.)?([A-Za-z]\w*)/g), ([, name]) => name!);
    const parameters = Object.fromEntries(names.map((name) => [name, args.get(name)]));
    const [sql, sources] = fill(text, parameters, args, dataSource);
    return new CompiledStatement(sql, sources, [...args.lists]);
  }

  get valueCount(): number {
    return this.sources.length;
  }

  /** @throws TypeError when an argument is missing. */
  valuesOf(args: Args): SqlValue[] {
    return this.sources.map((source) =>
      source instanceof Argument ? source.valueIn(args) : source,
    ) as SqlValue[];
  }

  /** Converts the values of rows where the database stores them differently from what the record declares. */
  hydrate(rows: Record<string, unknown>[]): void {
    if (this.fromStored.length === 0) return;
    for (const row of rows) {
      for (const [property, convert] of this.fromStored) row[property] = convert(row[property]);
    }
  }
}

export function isPostgres({ options }: DataSource): boolean {
  return options.type === 'postgres';
}

/** Puts the placeholders of the database into a query with `:name` parameters. */
function fill(
  query: string,
  parameters: ObjectLiteral,
  args: Arguments,
  dataSource: DataSource,
): [sql: string, sources: unknown[]] {
  const limits: Record<string, Argument> = {};
  const limited = args.fillLimits(query, (argument) => {
    const key = `limit.${argument.name}`;
    limits[key] = argument;
    // SQLite plans with the value of a parameter that is all of a LIMIT: it would compile the statement again each time
    // the value is bound, which takes a third of the time of a page.
    return isPostgres(dataSource) ? `:${key}` : `CAST(:${key} AS INTEGER)`;
  });
  const [sql, sources] = dataSource.driver.escapeQueryWithParameters(limited, { ...parameters, ...limits });
  const missing = /(?<!:):(?:\.\.\.)?([A-Za-z]\w*)/.exec(sql)?.[1];
  if (missing) throw new TypeError(`There is no value for :${missing} in: ${sql}`);
  const used = new Set(sources.map((source: unknown) => source instanceof Argument && source.name));
  const unused = args.given.find((name) => !used.has(name));
  if (unused) throw new TypeError(`The statement does not use "${unused}": ${sql}`);
  return [sql, sources];
}

/** Names every selected column after its property. */
function nameColumns(expressionMap: ExpressionMap, metadata: EntityMetadata): ColumnMetadata[] {
  const alias = expressionMap.mainAlias!.name;
  const prefix = `${alias}.`;
  const named: ColumnMetadata[] = [];
  expressionMap.selects = expressionMap.selects.flatMap((select) => {
    if (select.selection === alias) {
      const columns = metadata.columns.filter(({ isSelect }) => isSelect);
      named.push(...columns);
      return columns.map(({ propertyPath }) => ({
        selection: prefix + propertyPath,
        aliasName: propertyPath,
      }));
    }
    const property = select.selection.startsWith(prefix) ? select.selection.slice(prefix.length) : null;
    const column = property === null ? undefined : metadata.findColumnWithPropertyPath(property);
    const aliasName = select.aliasName ?? column?.propertyPath;
    if (!aliasName)
      throw new TypeError(
        `A selected expression needs a name, as in select('MAX(${prefix}id)', 'latestId'): ${select.selection}`,
      );
    if (column && aliasName === column.propertyPath) named.push(column);
    return [{ ...select, aliasName }];
  });
  const embedded = named.find(({ propertyPath }) => propertyPath.includes('.'));
  if (embedded)
    throw new TypeError(
      `${embedded.propertyPath} of ${metadata.name} is embedded: statements read flat rows.`,
    );
  return named;
}

/** `orUpdate()` takes the names of columns, but repositories know those of properties. */
function nameConflicting({ onUpdate }: ExpressionMap, { columns }: EntityMetadata): void {
  if (!onUpdate) return;
  const toNames = (properties?: string[]) =>
    properties?.map(
      (name) => columns.find(({ propertyPath }) => propertyPath === name)?.databaseName ?? name,
    );
  onUpdate.overwrite = toNames(onUpdate.overwrite);
  if (Array.isArray(onUpdate.conflict)) onUpdate.conflict = toNames(onUpdate.conflict);
}

function conversion(column: ColumnMetadata, dataSource: DataSource): FromStored {
  if (isStoredAsItIs(column)) return [];
  const { driver } = dataSource;
  const hydrate = (value: unknown): unknown => driver.prepareHydratedValue(value, column);
  // SQLite's integers are all read as bigint; only bigint columns stay bigint.
  const isRead = isPostgres(dataSource) || driver.normalizeType(column) === 'bigint';
  return [
    [
      column.propertyPath,
      isRead ? hydrate : (value) => hydrate(typeof value === 'bigint' ? Number(value) : value),
    ],
  ];
}
