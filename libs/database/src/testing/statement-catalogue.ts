import type { CompiledStatement } from '../statements/compiled-statement.js';
import type { BuiltStatement } from '../statements/record-statements.js';

/** Every statement of a database opened with it: `openDatabase(…, tables, { onStatement: catalogue.add })`. */
export class StatementCatalogue {
  readonly built: BuiltStatement[] = [];

  readonly add = (built: BuiltStatement): void => {
    this.built.push(built);
  };

  get all(): string[] {
    return this.built.map(({ sql }) => sql);
  }

  /** Those whose plans are judged: all but the excepted ones. */
  get judged(): string[] {
    return this.built.filter(({ exception }) => exception === null).map(({ sql }) => sql);
  }

  /** The judged ones that can be read for many arguments at once. */
  get grouped(): CompiledStatement[] {
    return this.built.flatMap(({ exception, statement }) =>
      exception === null && statement?.groupable ? [statement] : [],
    );
  }
}
