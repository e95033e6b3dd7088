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
import { Placeholder, Placeholders } from './placeholder.js';
import { type SelectedColumns, selectedColumns } from './selected-columns.js';

export type AnyQueryBuilder<R extends ObjectLiteral> =
  SelectQueryBuilder<R> | InsertQueryBuilder<R> | UpdateQueryBuilder<R> | DeleteQueryBuilder<R>;

/** The arguments of a statement, by name. */
export type Given = Readonly<Record<string, unknown>>;

type Convert = (value: unknown) => unknown;

/** The source of a value in a statement: an argument or a constant. */
interface Slot {
  readonly argument: string | null;
  readonly constant?: unknown;
  /** Converts the value of the record to that of the column; null when they are the same. */
  readonly toStored: Convert | null;
}

/** Both databases store these column types exactly as the record declares them. */
const STORED_AS_THEY_ARE = new Set<unknown>(['bigint', 'int8', 'text', 'varchar', String]);

/** Matches a named placeholder, a written value, or the number that stands for a placeholder in LIMIT and OFFSET. */
const REPLACED = /(?<!:):(\.\.\.)?([A-Za-z0-9_.]+)|@\{(\d+)\}|\b(9\d{15})\b/g;

/** A query builder compiled to SQL: the text, which never changes, and the sources of its values. */
export class CompiledStatement {
  private constructor(
    readonly sql: string,
    private readonly slots: readonly Slot[],
    private readonly fromStored: readonly (readonly [property: string, convert: Convert])[],
    private readonly toBound: Convert,
    /** Whether it locks the rows that it reads, which requires a transaction. */
    readonly isLocking: boolean,
    /** What a read that is shared or grouped with others must know; null when this one must run as it is. */
    readonly selected: SelectedColumns | null = null,
  ) {}

  /** @throws TypeError when the statement cannot be prepared once for all arguments. */
  static of<R extends ObjectLiteral>(
    builder: AnyQueryBuilder<R>,
    placeholders: Placeholders,
  ): CompiledStatement {
    const { dataSource, expressionMap } = builder;
    const { metadata } = expressionMap.mainAlias!;
    const written: Slot[] = [];
    let columns: ColumnMetadata[] = [];
    let isLocking = false;
    let selected: SelectedColumns | null = null;
    if (expressionMap.queryType === 'select') {
      columns = nameColumns(expressionMap, metadata);
      isLocking = expressionMap.lockMode !== undefined;
      if (isPostgres(dataSource) && !isLocking) selected = selectedColumns(expressionMap, columns);
      // SQLite has no row locks and needs none, as it has one writer at a time. TypeORM refuses to build one for it.
      if (!isPostgres(dataSource)) expressionMap.lockMode = undefined;
    } else {
      writeValues(expressionMap, metadata, dataSource, written);
    }
    const text = new StatementText(placeholders, isPostgres(dataSource));
    const query = builder.getQuery();
    // After getQuery(), which turns constants into parameters.
    const sql = text.fill(query, builder.getParameters(), written);
    return new CompiledStatement(
      sql,
      text.slots,
      columns.flatMap((column) => conversion(column, dataSource)),
      isPostgres(dataSource) ? unchanged : toBoundBySqlite(dataSource),
      isLocking,
      selected,
    );
  }

  /** Compiles SQL text with `:name` placeholders. */
  static ofText(sql: string, dataSource: DataSource): CompiledStatement {
    const text = new StatementText(new Placeholders(), isPostgres(dataSource));
    const filled = text.fill(sql, null, []);
    const toBound = isPostgres(dataSource) ? unchanged : toBoundBySqlite(dataSource);
    return new CompiledStatement(filled, text.slots, [], toBound, false);
  }

  /** The same arguments with another text, whose rows have the values of this one's at least. */
  withText(sql: string, selected: SelectedColumns): CompiledStatement {
    return new CompiledStatement(sql, this.slots, this.fromStored, this.toBound, false, selected);
  }

  /**
   * @param added more arguments. Reading from two objects is cheaper than merging them.
   * @throws TypeError when an argument is missing.
   */
  valuesOf(given: Given, added: Given): SqlValue[] {
    const { slots } = this;
    const values = new Array<SqlValue>(slots.length);
    for (let index = 0; index < slots.length; index++) {
      const { argument, constant, toStored } = slots[index]!;
      let value = argument === null ? constant : given[argument];
      if (value === undefined && argument !== null) value = added[argument];
      if (value === undefined) throw new TypeError(`The statement needs "${argument}": ${this.sql}`);
      if (toStored) value = toStored(value);
      else if (typeof value === 'boolean' || value instanceof Date) value = this.toBound(value);
      values[index] = value as SqlValue;
    }
    return values;
  }

  /** Converts the values of rows where the database stores them differently from what the record declares. */
  hydrate(rows: Record<string, unknown>[]): void {
    if (this.fromStored.length === 0) return;
    for (const row of rows) {
      for (const [property, convert] of this.fromStored) row[property] = convert(row[property]);
    }
  }
}

type ExpressionMap = AnyQueryBuilder<ObjectLiteral>['expressionMap'];

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

/** TypeORM converts a value for its column while it builds. A placeholder is converted each time a value is bound. */
function writeValues(
  expressionMap: ExpressionMap,
  metadata: EntityMetadata,
  dataSource: DataSource,
  written: Slot[],
): void {
  const fill = (set: ObjectLiteral): ObjectLiteral => {
    const entries = Object.entries(set).map(([property, value]: [string, unknown]) => {
      if (!(value instanceof Placeholder)) return [property, value];
      const column = metadata.findColumnWithPropertyPath(property);
      if (!column) throw new TypeError(`${metadata.name} has no column ${property}.`);
      const index = written.push({ argument: value.name, toStored: toStored(column, dataSource) }) - 1;
      return [property, () => `@{${index}}`];
    });
    return Object.fromEntries(entries) as ObjectLiteral;
  };
  const { valuesSet } = expressionMap;
  if (valuesSet) expressionMap.valuesSet = Array.isArray(valuesSet) ? valuesSet.map(fill) : fill(valuesSet);
  // orUpdate() takes column names, but repositories know the names of properties.
  const databaseNames = new Map(
    metadata.columns.map(({ propertyPath, databaseName }) => [propertyPath, databaseName] as const),
  );
  const toNames = (properties?: string[] | string) =>
    Array.isArray(properties) ? properties.map((name) => databaseNames.get(name) ?? name) : properties;
  const { onUpdate } = expressionMap;
  if (onUpdate) {
    onUpdate.overwrite = toNames(onUpdate.overwrite) as string[] | undefined;
    onUpdate.conflict = toNames(onUpdate.conflict);
  }
}

/** Numbers the placeholders of a text. Both databases take the values by position. */
class StatementText {
  readonly slots: Slot[] = [];
  private readonly numbers = new Map<string, number>();

  constructor(
    private readonly placeholders: Placeholders,
    private readonly isPostgres: boolean,
  ) {}

  /** @param parameters the parameters of the builder; null when every `:name` is an argument */
  fill(sql: string, parameters: ObjectLiteral | null, written: readonly Slot[]): string {
    return sql.replace(
      REPLACED,
      (match, spread: string | undefined, name: string | undefined, index?: string, mark?: string) => {
        if (index !== undefined) return this.slot(written[Number(index)]!);
        if (mark !== undefined) {
          const argument = this.placeholders.nameOfMark(mark);
          return argument === undefined ? match : this.limit(this.slot({ argument, toStored: null }));
        }
        if (parameters === null) return this.slot({ argument: name!, toStored: null });
        if (!Object.hasOwn(parameters, name!))
          throw new TypeError(`There is no value for :${name} in: ${sql}`);
        const value: unknown = parameters[name!];
        if (!spread) return this.parameter(value);
        if (!Array.isArray(value))
          throw new TypeError(`:...${name} would need another statement for every number of values.`);
        return value.map((item) => this.parameter(item)).join(', ');
      },
    );
  }

  /**
   * SQLite plans with the value of a parameter that is all of a LIMIT: it would compile the statement again each time
   * the value is bound, which takes a third of the time of a page.
   */
  private limit(number: string): string {
    return this.isPostgres ? number : `CAST(${number} AS INTEGER)`;
  }

  private parameter(value: unknown): string {
    return this.slot(
      value instanceof Placeholder
        ? { argument: value.name, toStored: null }
        : { argument: null, constant: value, toStored: null },
    );
  }

  private slot(slot: Slot): string {
    // A converted value and a constant each get their own number.
    if (slot.argument === null || slot.toStored) return `$${this.slots.push(slot)}`;
    let number = this.numbers.get(slot.argument);
    if (number === undefined) this.numbers.set(slot.argument, (number = this.slots.push(slot)));
    return `$${number}`;
  }
}

function isPostgres({ options }: DataSource): boolean {
  return options.type === 'postgres';
}

function unchanged(value: unknown): unknown {
  return value;
}

/** SQLite has neither booleans nor dates, so they are stored the way TypeORM stores them. */
function toBoundBySqlite({ driver }: DataSource): Convert {
  const types = { boolean: { type: 'boolean' }, object: { type: 'datetime' } };
  return (value) =>
    driver.preparePersistentValue(value, types[typeof value as 'boolean'] as ColumnMetadata) as unknown;
}

function toStored(column: ColumnMetadata, { driver }: DataSource): Convert | null {
  if (!column.transformer && STORED_AS_THEY_ARE.has(column.type)) return null;
  return (value) => driver.preparePersistentValue(value, column) as unknown;
}

function conversion(column: ColumnMetadata, dataSource: DataSource): (readonly [string, Convert])[] {
  if (!column.transformer && STORED_AS_THEY_ARE.has(column.type)) return [];
  const { driver } = dataSource;
  const hydrate: Convert = (value) => driver.prepareHydratedValue(value, column) as unknown;
  // SQLite's integers are all read as bigint; only bigint columns stay bigint.
  const isRead = isPostgres(dataSource) || driver.normalizeType(column) === 'bigint';
  return [
    [
      column.propertyPath,
      isRead ? hydrate : (value) => hydrate(typeof value === 'bigint' ? Number(value) : value),
    ],
  ];
}
