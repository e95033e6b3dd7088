import { type BeforeApplicationShutdown, Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { Clock, RepeatedTask, type StartTimer } from '@animal-store/kernel';
import type { ApiKeyRepository } from '../../domain/api-key.repository.js';
import {
  type DeprecatedCallRepository,
  type DeprecatedCalls,
  firstStoredDay,
} from '../../domain/deprecated-calls.js';
import type { PlanName } from '../../domain/plan.js';
import { BackgroundStorage } from '../background-storage.js';

const DELAY_MS = 60_000;
/** The callers of deprecated operations with their own series, who call most. */
const MAX_CALLERS = 1_000;

/** Counts the active keys of each plan, and the calls of deprecated operations, once a minute, for the metrics. */
@Injectable()
export class KeyCensus implements BeforeApplicationShutdown {
  private readonly logger = new Logger(KeyCensus.name);
  private readonly task: RepeatedTask;
  /** Active keys by plan; empty before the first count. */
  activeKeys: ReadonlyMap<PlanName, number> = new Map();
  /** Who has called deprecated operations in the last 30 days; empty before the first count. */
  deprecatedCallers: readonly DeprecatedCalls[] = [];

  constructor(
    @Inject(BackgroundStorage)
    {
      keys,
      deprecatedCalls,
    }: {
      readonly keys: Pick<ApiKeyRepository, 'countActive'>;
      readonly deprecatedCalls: Pick<DeprecatedCallRepository, 'callersSince'>;
    },
    clock: Clock,
    @Optional() startTimer?: StartTimer,
  ) {
    this.task = new RepeatedTask({
      step: async () => {
        this.activeKeys = await keys.countActive(clock.now());
        this.deprecatedCallers = await deprecatedCalls.callersSince(firstStoredDay(clock.now()), MAX_CALLERS);
        return DELAY_MS;
      },
      delayAfterFailureMs: DELAY_MS,
      onFailing: (cause) =>
        this.logger.error(
          'API keys and calls of deprecated operations cannot be counted. Trying again.',
          cause,
        ),
      onWorking: () => this.logger.log('API keys and calls of deprecated operations can be counted again.'),
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
