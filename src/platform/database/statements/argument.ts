import type { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** The arguments of a statement, by name. */
export type Args = Readonly<Record<string, unknown>>;

type Convert = (value: unknown) => unknown;

/** `limit()` only takes numbers and writes them into the text. Numbers from here on stand for arguments there. */
const FIRST_LIMIT_MARK = 9_000_000_000_000_000;
const LIMIT_MARK = /\b9\d{15}\b/g;

const MAX_DOUBLINGS = 10;

/**
 * How often 1 must be doubled to have room for the values of a list. Statements have room for 1, 2, 4 … values, so that
 * there are few of them; the last value is repeated.
 */
export function doublingsFor(name: string, list: unknown = []): number {
  if (!Array.isArray(list)) throw new TypeError(`"${name}" must be a list of values.`);
  const { length } = list;
  const doublings = length <= 1 ? 0 : 32 - Math.clz32(length - 1);
  if (doublings > MAX_DOUBLINGS)
    throw new RangeError(`"${name}" has ${length} values: the maximum is ${2 ** MAX_DOUBLINGS}.`);
  return doublings;
}

/** Stands for an argument while a statement is built. TypeORM returns it at the place of its value. */
export class Argument {
  /** @param index its position, when it is one value of a list */
  constructor(
    readonly name: string,
    private readonly convert: Convert,
    private readonly owner: Arguments,
    private readonly index: number | null = null,
  ) {}

  /** @throws TypeError when the argument is missing. */
  valueIn(args: Args): unknown {
    let value = args[this.name];
    if (value === undefined) throw new TypeError(`The statement needs "${this.name}".`);
    if (this.index !== null) {
      const list = value as readonly unknown[];
      // Nothing is equal to null, so an empty list finds nothing.
      value = list[Math.min(this.index, list.length - 1)] ?? null;
    }
    return this.convert(value);
  }

  /** The same argument as a value of this column. */
  storedIn(column: ColumnMetadata, convert: Convert): Argument {
    return isStoredAsItIs(column) ? this : new Argument(this.name, convert, this.owner);
  }

  /** TypeORM calls it for `:...name`, to write a placeholder for each value of a list. */
  map(write: (value: Argument) => string): string[] {
    const values = Array.from(
      { length: this.owner.lengthOf(this.name) },
      (_, index) => new Argument(this.name, this.convert, this.owner, index),
    );
    return values.map(write);
  }

  /** @throws TypeError where the value itself would be needed, as the text is the same for all values. */
  [Symbol.toPrimitive](hint: string): number {
    if (hint === 'number') return FIRST_LIMIT_MARK + this.owner.positionOf(this);
    throw new TypeError(
      `"${this.name}" has no value yet: pass it to the query builder as a parameter, not as part of the text.`,
    );
  }
}

/** What the function that builds a statement gets instead of arguments. */
export class Arguments {
  /** The arguments that are lists of values. */
  readonly lists = new Set<string>();
  private readonly asked = new Map<string, Argument>();

  /**
   * @param like arguments of which some are left out and lists have some length, as in the calls of this statement
   * @param optional those that may be left out
   * @param bind converts a value that is compared to what the database takes
   */
  constructor(
    private readonly like: Args,
    private readonly optional: readonly string[],
    private readonly bind: Convert,
  ) {}

  /** The arguments that the statement must use. */
  get given(): string[] {
    return [...this.asked.keys(), ...this.optional.filter((name) => this.like[name] !== undefined)];
  }

  /** The arguments, as the function that builds the statement sees them. */
  seen<A extends object>(): A {
    const get = (_: object, name: string | symbol) => (typeof name === 'string' ? this.get(name) : undefined);
    const ownKeys = () => {
      throw new TypeError(
        'The arguments of a statement cannot be spread or listed. Name each one, as in ({ petId, stars }) => review.values({ petId, stars }).',
      );
    };
    return new Proxy({}, { get, ownKeys }) as A;
  }

  get(name: string): Argument | undefined {
    if (this.like[name] === undefined && this.optional.includes(name)) return undefined;
    let argument = this.asked.get(name);
    if (!argument) this.asked.set(name, (argument = new Argument(name, this.bind, this)));
    return argument;
  }

  lengthOf(list: string): number {
    this.lists.add(list);
    return 2 ** doublingsFor(list, this.like[list]);
  }

  positionOf({ name }: Argument): number {
    return [...this.asked.keys()].indexOf(name);
  }

  /** Replaces the numbers that stand for arguments. */
  fillLimits(sql: string, fill: (argument: Argument) => string): string {
    return sql.replace(LIMIT_MARK, (mark) => {
      const argument = [...this.asked.values()][Number(mark) - FIRST_LIMIT_MARK];
      return argument === undefined ? mark : fill(argument);
    });
  }
}

/** Both databases store these column types exactly as the record declares them. */
const STORED_AS_THEY_ARE = new Set<unknown>(['bigint', 'int8', 'text', 'varchar', String]);

export function isStoredAsItIs({ type, transformer }: ColumnMetadata): boolean {
  return !transformer && STORED_AS_THEY_ARE.has(type);
}

/**
 * A data source whose builders keep an argument that is written, and convert its value for the column each time it is
 * bound. TypeORM converts what is written while it builds.
 */
export function takingArguments(dataSource: DataSource): DataSource {
  const { driver } = dataSource;
  const toStored = (value: unknown, column: ColumnMetadata): unknown =>
    value instanceof Argument
      ? value.storedIn(column, (bound) => driver.preparePersistentValue(bound, column) as unknown)
      : driver.preparePersistentValue(value, column);
  const taking: unknown = Object.create(driver, { preparePersistentValue: { value: toStored } });
  return Object.create(dataSource, { driver: { value: taking } }) as DataSource;
}
