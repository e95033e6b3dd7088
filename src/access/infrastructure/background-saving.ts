import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { RepeatedTask } from '@animal-store/kernel';

/**
 * Saves what requests have left in memory, in batches at most a second later, and the rest before the database closes.
 * While the database does not respond it waits.
 */
export abstract class BackgroundSaving implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private readonly saving: RepeatedTask;

  /** @param what begins a sentence of the log: `Last uses of API keys` */
  protected constructor(
    private readonly what: string,
    private readonly everyMs = 1_000,
  ) {
    this.saving = new RepeatedTask({
      step: async () => (await this.save(false)) ?? everyMs,
      delayAfterFailureMs: everyMs,
      onFailing: (cause) => this.logger.error(`${what} cannot be saved. Trying again.`, cause),
      onWorking: () => this.logger.log(`${what} can be saved again.`),
    });
  }

  onApplicationBootstrap(): void {
    this.saving.start(this.everyMs);
  }

  /** A failure does not stop the shutdown. */
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
   * @returns the delay before the next batch in milliseconds; null when nothing waits
   */
  protected abstract save(isLast: boolean): Promise<number | null>;
}
