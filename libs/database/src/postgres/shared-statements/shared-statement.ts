import { errorCode } from '../../driver-errors.js';
import { isOfConnection, LockTimedOut } from '../postgres-errors.js';

/** No such operator, a wrong or an unknown type: the shared text is wrong, whatever its values are (appendix A). */
const WRONG_TEXT = /^(42883|42804|42846|42P18)$/;

/** What several callers have in one statement, as long as its text fits the table. */
export class SharedStatement {
  /** @param isUsable false when each caller needs a statement of its own */
  constructor(public isUsable = true) {}

  /** Runs `together`. When PostgreSQL refuses it, runs `eachAlone`: the values of one must not fail the others. */
  async run<T>(together: () => Promise<T>, eachAlone: () => T | Promise<T>): Promise<T> {
    if (!this.isUsable) return eachAlone();
    try {
      return await together();
    } catch (error) {
      // A lock on all of the table holds up each of them.
      if (isOfConnection(error) || error instanceof LockTimedOut) throw error;
      if (WRONG_TEXT.test(errorCode(error))) this.isUsable = false;
      return eachAlone();
    }
  }
}
