import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { RepeatedTask, type StartTimer } from '@animal-store/kernel';

const SAVE_EVERY_MS = 1_000;

/**
 * Saves what requests have left in memory, together with others and at most a second later, and the rest before the
 * database closes. While the database is gone it waits.
 */
export abstract class BackgroundSaving implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private readonly saving: RepeatedTask;

  /** @param what begins a sentence of the log: `Last uses of API keys` */
  protected constructor(
    private readonly what: string,
    startTimer?: StartTimer,
  ) {
    this.saving = new RepeatedTask({
      step: async () => (await this.save(false)) ?? SAVE_EVERY_MS,
      delayAfterFailureMs: SAVE_EVERY_MS,
      onFailing: (cause) => this.logger.error(`${what} cannot be saved. Trying again.`, cause),
      onWorking: () => this.logger.log(`${what} can be saved again.`),
      startTimer,
    });
  }

  onApplicationBootstrap(): void {
    this.saving.start(SAVE_EVERY_MS);
  }

  /** A shutdown does not fail for it. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.saving.stop();
    try {
      while ((await this.save(true)) !== null);
    } catch (cause) {
      this.logger.error(`${this.what} are not all saved.`, cause);
    }
  }

  /**
   * Saves what waits, or some of it: more of it at the end, when no request would wait for that.
   * @returns the milliseconds to rest before the next of it; null when nothing waits
   */
  protected abstract save(isLast: boolean): Promise<number | null>;
}
