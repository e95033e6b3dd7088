import { type BeforeApplicationShutdown, Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { Clock, RepeatedTask, type StartTimer } from '@animal-store/kernel';
import type { ApiKeyRepository } from '../../domain/api-key.repository.js';
import type { PlanName } from '../../domain/plan.js';
import { BackgroundKeys } from './typeorm-api-key.repository.js';

const REST_MS = 60_000;

/** Counts the active keys of each plan once a minute, for the metrics. */
@Injectable()
export class KeyCensus implements BeforeApplicationShutdown {
  private readonly logger = new Logger(KeyCensus.name);
  private readonly task: RepeatedTask;
  /** Active keys by plan; empty before the first count. */
  activeKeys: ReadonlyMap<PlanName, number> = new Map();

  constructor(
    @Inject(BackgroundKeys) keys: Pick<ApiKeyRepository, 'countActive'>,
    clock: Clock,
    @Optional() startTimer?: StartTimer,
  ) {
    this.task = new RepeatedTask({
      step: async () => {
        this.activeKeys = await keys.countActive(clock.now());
        return REST_MS;
      },
      restAfterFailureMs: REST_MS,
      onFailing: (cause) => this.logger.error('API keys cannot be counted. Trying again.', cause),
      onWorking: () => this.logger.log('API keys can be counted again.'),
      startTimer,
    });
  }

  start(): void {
    this.task.start();
  }

  /** Before the database closes. */
  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
