import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  Optional,
} from '@nestjs/common';
import { RepeatedTask, type StartTimer } from '@animal-store/kernel';
import type { ApiKeyRepository } from '../../domain/api-key.repository.js';
import { BackgroundKeys } from './typeorm-api-key.repository.js';

const SAVE_EVERY_MS = 1_000;
/** Few, as the embedded database does nothing else meanwhile: at most 500 keys a second, in five steps. */
const KEYS_A_SAVE = 100;
const REST_BETWEEN_SAVES_MS = 200;
/** Many, when no request is left that would wait. */
const KEYS_A_LAST_SAVE = 5_000;
/** Bounds the memory, to about ten megabytes. */
const MOST_UNSAVED = 100_000;

/**
 * Saves the day of the last use of each key, a moment later and together with others. A key costs one row a day, and a
 * look at that row for every other server and start. While the database is gone the uses wait.
 */
@Injectable()
export class LastUses implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LastUses.name);
  private readonly saving: RepeatedTask;
  /** The day by the id of the key. */
  private readonly unsaved = new Map<string, number>();

  constructor(
    @Inject(BackgroundKeys) private readonly keys: Pick<ApiKeyRepository, 'noteUses'>,
    @Optional() startTimer?: StartTimer,
  ) {
    this.saving = new RepeatedTask({
      step: () => this.saveSome(KEYS_A_SAVE),
      restAfterFailureMs: SAVE_EVERY_MS,
      onFailing: (cause) => this.logger.error('Last uses of API keys cannot be saved. Trying again.', cause),
      onWorking: () => this.logger.log('Last uses of API keys can be saved again.'),
      startTimer,
    });
  }

  /** Returns false when too many wait: then the next request of the key must ask again. */
  readonly note = (keyId: string, day: number): boolean => {
    if (this.unsaved.size >= MOST_UNSAVED && !this.unsaved.has(keyId)) return false;
    this.unsaved.set(keyId, day);
    return true;
  };

  onApplicationBootstrap(): void {
    this.saving.start(SAVE_EVERY_MS);
  }

  /** Saves what is left, before the database closes. A shutdown does not fail for it. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.saving.stop();
    try {
      while (this.unsaved.size > 0) await this.saveSome(KEYS_A_LAST_SAVE);
    } catch (cause) {
      this.logger.error(`The last uses of ${this.unsaved.size} API keys are not saved.`, cause);
    }
  }

  private async saveSome(limit: number): Promise<number> {
    const [day] = this.unsaved.values();
    if (day === undefined) return SAVE_EVERY_MS;
    const ids: string[] = [];
    for (const [id, usedOn] of this.unsaved) {
      if (usedOn === day) ids.push(id);
      if (ids.length === limit) break;
    }
    await this.keys.noteUses(ids, day);
    // A key may have been used on the next day meanwhile.
    for (const id of ids) if (this.unsaved.get(id) === day) this.unsaved.delete(id);
    return this.unsaved.size > 0 ? REST_BETWEEN_SAVES_MS : SAVE_EVERY_MS;
  }
}
