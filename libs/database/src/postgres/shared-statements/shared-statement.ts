import { Batcher } from '@animal-store/kernel';
import { errorCode } from '../../driver-errors.js';
import { isOfConnection, LockTimedOut } from '../postgres-errors.js';

/** No such operator, a wrong or an unknown type: the shared text is wrong, whatever its values are (appendix A). */
const WRONG_TEXT = /^(42883|42804|42846|42P18)$/;

/** A statement that several callers share, as long as its text fits the table. */
export abstract class SharedStatement<Item, Result> {
  private readonly batcher: Batcher<Item, Result>;

  /** @param isUsable whether one statement can serve several callers */
  constructor(
    bounds: ConstructorParameters<typeof Batcher>[1],
    protected isUsable = true,
  ) {
    this.batcher = new Batcher((items: readonly Item[]) => this.send(items), bounds);
  }

  get waitingCount(): number {
    return this.batcher.waitingCount;
  }

  /** Runs one statement for all of them. */
  protected abstract together(items: readonly Item[]): Promise<readonly Result[]>;

  /** Runs a statement for each of them. */
  protected abstract each(items: readonly Item[]): Promise<readonly Promise<Result>[]>;

  /** @throws StorageUnavailable when the item was not sent in time, or when it is unknown whether it was stored. */
  protected add(item: Item): Promise<Result> {
    if (this.isUsable) return this.batcher.add(item);
    return this.each([item]).then(([result]) => result!);
  }

  /** When PostgreSQL refuses one statement for all, each has its own: the values of one must not fail the others. */
  private async send(items: readonly Item[]): Promise<readonly (Result | Promise<Result>)[]> {
    // Awaited, so that the single item counts as in flight until it is done.
    if (items.length === 1) return Promise.all(await this.each(items));
    if (!this.isUsable) return this.each(items);
    try {
      return await this.together(items);
    } catch (error) {
      // A lock on the whole table delays each of them.
      if (isOfConnection(error) || error instanceof LockTimedOut) throw error;
      if (WRONG_TEXT.test(errorCode(error))) this.isUsable = false;
      return this.each(items);
    }
  }
}
