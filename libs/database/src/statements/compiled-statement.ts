import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { Groupable, RowKey, SelectSql, SqlValue } from '../sql-session.js';
import { groupable } from './grouped-statement.js';
import { keyArguments, type KeyArguments } from './row-key.js';
import { nameColumns, partsOf } from '../opening/typeorm-internals.js';

/** The arguments of a statement, by name. */
export type Args = Readonly<Record<string, unknown>>;

type Convert = (value: unknown) => unknown;

/** `:name`, but not the second colon of a cast. */
const PLACEHOLDER = /(?<!:):(?:\.\.\.)?([A-Za-z][\w.]*)/g;
const LIST = /\b(NOT )?IN \(:\.\.\.([A-Za-z]\w*)\)/g;

interface Parts extends Partial<Pick<SelectSql, 'isLocking' | 'groupable'>> {
  /** What names the row that it is about. */
  readonly key?: KeyArguments | null;
  /** The values that are the same for all arguments. */
  readonly constants?: ObjectLiteral;
  /** The columns to which the arguments of their names are written. */
  readonly written?: readonly ColumnMetadata[];
  /** The columns of the rows, which have the names of their properties. */
  readonly read?: readonly ColumnMetadata[];
}

/** A statement that is prepared once: its SQL text and the sources of its values. */
export class CompiledStatement implements SelectSql {
  readonly sql: string;
  readonly isLocking: boolean;
  readonly groupable: Groupable | null;
  readonly row: RowKey | null;
  /** An argument or a constant for each placeholder. */
  private readonly sources: readonly unknown[];
  private readonly fromStored: readonly (readonly [property: string, convert: Convert])[];

  /** @param text SQL in which `:name` is an argument or a constant */
  constructor(dataSource: DataSource, text: string, parts: Parts = {}) {
    const { constants = {}, written = [], read = [], groupable = null } = parts;
    const { driver } = dataSource;
    const toBound: Convert = isPostgres(dataSource) ? (value) => value : toBoundBySqlite;
    const query = text.replace(LIST, (list, not: string | undefined, name: string) => {
      if (name in constants) return list;
      if (isPostgres(dataSource)) return `${not ? '<> ALL' : '= ANY'} (:${name})`;
      return `${not ?? ''}IN (SELECT value FROM json_each(:${name}))`;
    });
    const values = { ...constants };
    for (const [, name] of query.matchAll(PLACEHOLDER)) {
      const column = written.find(({ propertyPath }) => propertyPath === name);
      const isConverted = column && !isStoredAsItIs(column);
      const toStored: Convert = isConverted
        ? (value) => driver.preparePersistentValue(value, column) as unknown
        : toBound;
      values[name!] ??= new Argument(name!, toStored);
    }
    [this.sql, this.sources] = driver.escapeQueryWithParameters(query, values);
    this.fromStored = read.filter((column) => !isStoredAsItIs(column)).map(conversion(dataSource));
    this.isLocking = parts.isLocking ?? false;
    // A list is an array already.
    this.groupable = query === text ? groupable : null;
    this.row = this.rowBy(parts.key ?? null);
  }

  /**
   * @param complete makes the whole text of that of the builder
   * @param isOne whether it is still one SELECT, as the builder knows it
   */
  static ofSelect<R extends ObjectLiteral>(
    builder: SelectQueryBuilder<R>,
    complete = (select: string) => select,
    isOne = true,
  ): CompiledStatement {
    const { dataSource } = builder;
    const parts = partsOf(builder);
    const read = nameColumns(parts);
    const isLocking = parts.lockMode !== undefined;
    const key = isOne ? keyArguments(parts) : null;
    // SQLite has no row locks and needs none, as it has one writer at a time. TypeORM refuses to build one for it.
    if (!isPostgres(dataSource)) parts.lockMode = undefined;
    const query = complete(builder.getQuery());
    const isGroupable = isPostgres(dataSource) && isOne;
    return new CompiledStatement(dataSource, query, {
      // After getQuery(), which turns constants into parameters.
      constants: builder.getParameters(),
      read,
      isLocking,
      key,
      groupable: isGroupable ? groupable(parts, read) : null,
    });
  }

  private rowBy(key: KeyArguments | null): RowKey | null {
    if (key === null) return null;
    const names = this.sources.map((source) => (source instanceof Argument ? source.name : null));
    const places = key.names.map((name) => names.indexOf(name));
    return places.includes(-1) ? null : { table: key.table, places, types: key.types };
  }

  /** @throws TypeError when an argument is missing. */
  valuesOf(args: Args): SqlValue[] {
    return this.sources.map((source) =>
      source instanceof Argument ? source.valueIn(args) : source,
    ) as SqlValue[];
  }

  /**
   * @returns whether further arguments of the same names need no check
   * @throws TypeError when an argument is not used: a filter that was forgotten finds rows that it must not find.
   */
  requireUsed(args: Args, optional: readonly string[]): boolean {
    const used = this.sources.map((source) => source instanceof Argument && source.name);
    const unused = Object.keys(args).filter((name) => !used.includes(name));
    const forgotten = unused.find((name) => args[name] !== undefined);
    if (forgotten) throw new TypeError(`The statement does not use "${forgotten}": ${this.sql}`);
    return unused.every((name) => optional.includes(name));
  }

  /** Converts the values of rows where the database stores them differently from what the record declares. */
  hydrate(rows: Record<string, unknown>[]): void {
    if (this.fromStored.length === 0) return;
    for (const row of rows) {
      for (const [property, convert] of this.fromStored) {
        if (property in row) row[property] = convert(row[property]);
      }
    }
  }
}

/** The place of an argument among the values of a statement. */
class Argument {
  constructor(
    readonly name: string,
    private readonly toStored: Convert,
  ) {}

  valueIn(args: Args): unknown {
    const value = args[this.name];
    if (value === undefined) throw new TypeError(`The statement needs "${this.name}".`);
    return this.toStored(value);
  }
}

export function isPostgres({ options }: DataSource): boolean {
  return options.type === 'postgres';
}

/** SQLite has neither booleans nor dates nor lists: the first two are stored as TypeORM stores them. */
function toBoundBySqlite(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Date) return value.toISOString().slice(0, -1).replace('T', ' ');
  if (!Array.isArray(value)) return value;
  const items = value.map((item) =>
    typeof item === 'bigint' ? String(item) : JSON.stringify(toBoundBySqlite(item)),
  );
  return `[${items.join(',')}]`;
}

/** Both databases store these column types exactly as the record declares them. */
const STORED_AS_THEY_ARE = new Set<unknown>(['bigint', 'bytea', 'int8', 'text', 'varchar', String]);

function isStoredAsItIs({ type, transformer }: ColumnMetadata): boolean {
  return !transformer && STORED_AS_THEY_ARE.has(type);
}

function conversion({ driver }: DataSource) {
  return (column: ColumnMetadata): readonly [property: string, convert: Convert] => [
    column.propertyPath,
    (value) => driver.prepareHydratedValue(value, column) as unknown,
  ];
}
