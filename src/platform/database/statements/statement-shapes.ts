import type { CompiledStatement, Given } from './compiled-statement.js';
import { Placeholders } from './placeholder.js';

/** Enough for four optional filters of a list with two sorts, in both directions, with and without a cursor. */
const MAX_SHAPES = 256;

/** The arguments that decide the text of a statement. */
export interface ShapeRules {
  /** The optional arguments. */
  readonly optional: readonly string[];
  /** The arguments with few possible values, which are written into the text. */
  readonly choices: readonly (readonly [name: string, values: readonly unknown[]])[];
}

type Build = (known: Placeholders) => CompiledStatement;

/**
 * One statement with several texts: one for each combination of optional arguments and choices. Each text is compiled
 * when it is first needed.
 */
export class StatementShapes {
  private readonly compiled: (CompiledStatement | undefined)[] = [];
  private readonly count: number;

  /** @throws TypeError when there are too many texts, and whatever `build` throws with all arguments given. */
  constructor(
    private readonly rules: ShapeRules,
    private readonly build: Build,
  ) {
    const { optional, choices } = rules;
    this.count = choices.reduce((product, [, values]) => product * values.length, 2 ** optional.length);
    if (this.count > MAX_SHAPES) {
      throw new TypeError(
        `A statement with ${this.count} texts cannot be prepared: the maximum is ${MAX_SHAPES}.`,
      );
    }
    // Compiles one text now, so that a mistake shows at start and not at the first request.
    this.shape(this.count - 1);
  }

  /** @throws TypeError when the value of a choice is not one of its values. */
  of(given: Given, added: Given): CompiledStatement {
    const { optional, choices } = this.rules;
    let index = 0;
    for (const [name, values] of choices) {
      const choice = values.indexOf(added[name]);
      if (choice < 0) throw new TypeError(`"${name}" must be one of ${values.join(', ')}.`);
      index = index * values.length + choice;
    }
    for (const name of optional)
      index = index * 2 + (given[name] === undefined && added[name] === undefined ? 0 : 1);
    return this.shape(index);
  }

  /** Compiles and returns every text. */
  all(): CompiledStatement[] {
    return Array.from({ length: this.count }, (_, index) => this.shape(index));
  }

  private shape(index: number): CompiledStatement {
    return (this.compiled[index] ??= this.build(new Placeholders(this.knownAt(index))));
  }

  /** The arguments that are known for this index: those left out, and the choices. */
  private knownAt(index: number): Map<string, unknown> {
    const known = new Map<string, unknown>();
    let rest = index;
    for (const name of this.rules.optional.toReversed()) {
      if (rest % 2 === 0) known.set(name, undefined);
      rest = Math.floor(rest / 2);
    }
    for (const [name, values] of this.rules.choices.toReversed()) {
      known.set(name, values[rest % values.length]);
      rest = Math.floor(rest / values.length);
    }
    return known;
  }
}
