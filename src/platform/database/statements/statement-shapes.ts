import type { CompiledStatement, Given } from './compiled-statement.js';
import { Placeholders } from './placeholder.js';

/** Enough for four optional filters of a list with two sorts, in both directions, with and without a cursor. */
const MAX_SHAPES = 256;

/** What of a statement's arguments decides its text. */
export interface ShapeRules {
  /** The arguments that may be left out. */
  readonly optional: readonly string[];
  /** The arguments that are one of few values, which the text says outright. */
  readonly choices: readonly (readonly [name: string, values: readonly unknown[]])[];
}

type Build = (known: Placeholders) => CompiledStatement;

/**
 * One statement with several texts: one for each set of arguments that are given, and of what is chosen. Each is made
 * when it is first needed.
 */
export class StatementShapes {
  private readonly compiled: (CompiledStatement | undefined)[] = [];
  private readonly count: number;

  /** @throws TypeError when there are too many, and whatever `build` throws with all arguments given. */
  constructor(
    private readonly rules: ShapeRules,
    private readonly build: Build,
  ) {
    const { optional, choices } = rules;
    this.count = choices.reduce((product, [, values]) => product * values.length, 2 ** optional.length);
    if (this.count > MAX_SHAPES) {
      throw new TypeError(
        `A statement with ${this.count} texts is too much to prepare: ${MAX_SHAPES} at most.`,
      );
    }
    // A mistake shows at the start, not at the first request that needs the statement.
    this.shape(this.count - 1);
  }

  /** @throws TypeError when an argument that must be one of few values is another. */
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

  /** Every text there is. */
  all(): CompiledStatement[] {
    return Array.from({ length: this.count }, (_, index) => this.shape(index));
  }

  private shape(index: number): CompiledStatement {
    return (this.compiled[index] ??= this.build(new Placeholders(this.knownAt(index))));
  }

  /** What the text of this index knows of the arguments: those that are not given, and those that are chosen. */
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
