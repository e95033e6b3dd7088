import { Inject, Injectable } from '@nestjs/common';
import type { ApiKeyRepository } from '../../domain/api-key.repository.js';
import { BackgroundSaving } from '../background-saving.js';
import { BackgroundStorage } from '../background-storage.js';

/** Few, as SQLite does nothing else meanwhile: at most 500 keys a second, in five steps. */
const KEYS_A_SAVE = 100;
const REST_BETWEEN_SAVES_MS = 200;
/** Many, when no request is left that would wait. */
const KEYS_A_LAST_SAVE = 5_000;
/** Bounds the memory, to about ten megabytes. */
const MAX_UNSAVED = 100_000;

/**
 * Saves the day of the last use of each key, a moment later and together with others. A key costs one row a day, and a
 * read of that row for every other server and start. While the database is unavailable, uses are buffered.
 */
@Injectable()
export class LastUses extends BackgroundSaving {
  /** The day by the id of the key. */
  private readonly unsaved = new Map<string, number>();

  constructor(
    @Inject(BackgroundStorage)
    private readonly storage: { readonly keys: Pick<ApiKeyRepository, 'noteUses'> },
  ) {
    super('Last uses of API keys');
  }

  /** Returns false when too many wait: then the next request of the key calls it again. */
  readonly note = (keyId: string, day: number): boolean => {
    if (this.unsaved.size >= MAX_UNSAVED && !this.unsaved.has(keyId)) return false;
    this.unsaved.set(keyId, day);
    return true;
  };

  protected async save(isLast: boolean): Promise<number | null> {
    const limit = isLast ? KEYS_A_LAST_SAVE : KEYS_A_SAVE;
    const [day] = this.unsaved.values();
    if (day === undefined) return null;
    const ids: string[] = [];
    for (const [id, usedOn] of this.unsaved) {
      if (usedOn === day) ids.push(id);
      if (ids.length === limit) break;
    }
    await this.storage.keys.noteUses(ids, day);
    // A key may have been used on the next day meanwhile; that use is saved next.
    for (const id of ids) if (this.unsaved.get(id) === day) this.unsaved.delete(id);
    return this.unsaved.size > 0 ? REST_BETWEEN_SAVES_MS : null;
  }
}
