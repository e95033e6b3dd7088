/** `limit()` only takes numbers and writes them into the text. Numbers from here on stand for placeholders there. */
const FIRST_LIMIT_MARK = 9_000_000_000_000_000;

/** Stands for an argument while a statement is built. The value is known only when the statement runs. */
export class Placeholder {
  constructor(
    readonly name: string,
    private readonly index: number,
  ) {}

  /** @throws TypeError where the value itself would be needed, as the text is the same for all values. */
  [Symbol.toPrimitive](hint: string): number {
    if (hint === 'number') return FIRST_LIMIT_MARK + this.index;
    throw new TypeError(
      `"${this.name}" has no value yet: pass it to the query builder as a parameter, not as part of the text.`,
    );
  }
}

/** Gives the function that builds a statement a placeholder for each argument, or its value in `known`. */
export class Placeholders {
  private readonly byName = new Map<string, Placeholder>();

  constructor(private readonly known: ReadonlyMap<string, unknown> = new Map()) {}

  /** The arguments, as the function that builds the statement sees them. */
  asArguments<Arguments extends object>(): Arguments {
    const get = (_: object, name: string | symbol) => (typeof name === 'string' ? this.of(name) : undefined);
    const ownKeys = () => {
      throw new TypeError(
        'The arguments of a statement cannot be spread or listed. Name each one, as in ({ petId, stars }) => review.values({ petId, stars }).',
      );
    };
    return new Proxy({}, { get, ownKeys }) as Arguments;
  }

  /** The name of the placeholder with this number; undefined for any other number. */
  nameOfMark(mark: string): string | undefined {
    return [...this.byName.keys()][Number(mark) - FIRST_LIMIT_MARK];
  }

  private of(name: string): unknown {
    if (this.known.has(name)) return this.known.get(name);
    let placeholder = this.byName.get(name);
    if (!placeholder) this.byName.set(name, (placeholder = new Placeholder(name, this.byName.size)));
    return placeholder;
  }
}
