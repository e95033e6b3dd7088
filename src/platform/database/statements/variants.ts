import { type Args, doublingsFor } from './argument.js';
import type { CompiledStatement } from './compiled-statement.js';

/** Enough for eight optional arguments. */
const MAX_TEXTS = 256;

/**
 * One statement with several texts: one for each combination of optional arguments, and of lengths of lists. Each is
 * built when it is first needed.
 */
export class Variants {
  private readonly built = new Map<number, CompiledStatement>();
  private readonly lists: readonly string[];

  /**
   * @param build gets arguments like those of the text to be built
   * @throws TypeError when there are too many texts, and whatever `build` throws with all arguments given.
   */
  constructor(
    private readonly optional: readonly string[],
    private readonly build: (like: Args) => CompiledStatement,
  ) {
    const count = 2 ** optional.length;
    if (count > MAX_TEXTS) {
      throw new TypeError(`A statement with ${count} texts cannot be prepared: the maximum is ${MAX_TEXTS}.`);
    }
    // Now, so that a mistake shows at start and not at the first request.
    const first = build(this.like(0));
    this.lists = first.lists;
    this.built.set(this.keyOf(this.like(0)), first);
  }

  of(args: Args): CompiledStatement {
    const key = this.keyOf(args);
    let statement = this.built.get(key);
    if (statement === undefined) this.built.set(key, (statement = this.build(args)));
    return statement;
  }

  /** One for each combination of optional arguments, with the shortest lists: the one without any comes first. */
  all(): CompiledStatement[] {
    const most = 2 ** this.optional.length - 1;
    return Array.from({ length: most + 1 }, (_, index) => this.of(this.like(most - index)));
  }

  private keyOf(args: Args): number {
    let key = 0;
    for (const name of this.optional) key = key * 2 + (args[name] === undefined ? 1 : 0);
    for (const name of this.lists) key = key * 16 + doublingsFor(name, args[name]);
    return key;
  }

  /** Arguments of which those in the bits of `absent` are left out. */
  private like(absent: number): Args {
    const given = this.optional.filter((_, index) => (absent & (1 << index)) === 0);
    return Object.fromEntries(given.map((name) => [name, [null]]));
  }
}
