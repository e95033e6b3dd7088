import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type Clock, RepeatedTask } from '@animal-store/kernel';

const INTERVAL_MS = 1_000;

/** Reads changes of keys at the start and then every second, and says once when they cannot be read. */
export abstract class ChangesPoller implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(this.constructor.name);
  private readonly task: RepeatedTask;

  /** @param what begins a sentence of the log: `Changes of API keys` */
  protected constructor(
    what: string,
    read: () => Promise<void>,
    { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  ) {
    this.task = new RepeatedTask({
      step: async () => {
        const startedMs = monotonicMs();
        await read();
        return Math.max(0, INTERVAL_MS - (monotonicMs() - startedMs));
      },
      delayAfterFailureMs: INTERVAL_MS,
      onFailing: (cause) => this.logger.error(`${what} cannot be applied. Trying again every second.`, cause),
      onWorking: () => this.logger.log(`${what} can be applied again.`),
    });
  }

  onModuleInit(): Promise<void> {
    return this.poll();
  }

  onModuleDestroy(): Promise<void> {
    return this.task.stop();
  }

  /** Reads the changes now and then every second. Never rejects. While a poll runs, it returns that one. */
  poll(): Promise<void> {
    return this.task.run();
  }
}
