import { type BeforeApplicationShutdown, Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { Clock, RepeatedTask, type StartTimer } from '@animal-store/kernel';
import {
  type DeprecatedCallRepository,
  type DeprecatedCalls,
  firstStoredDay,
} from '../../domain/deprecated-calls.js';
import { BackgroundStorage } from '../background-storage.js';

const DELAY_MS = 60_000;
/** The callers with their own series, who call most. */
const MAX_CALLERS = 1_000;

/** Reads once a minute who has called deprecated operations in the last 30 days, for the metrics. */
@Injectable()
export class DeprecatedCallers implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DeprecatedCallers.name);
  private readonly task: RepeatedTask;
  /** Empty before the first time. */
  latest: readonly DeprecatedCalls[] = [];

  constructor(
    @Inject(BackgroundStorage)
    storage: { readonly deprecatedCalls: Pick<DeprecatedCallRepository, 'callersSince'> },
    clock: Clock,
    @Optional() startTimer?: StartTimer,
  ) {
    this.task = new RepeatedTask({
      step: async () => {
        this.latest = await storage.deprecatedCalls.callersSince(firstStoredDay(clock.now()), MAX_CALLERS);
        return DELAY_MS;
      },
      delayAfterFailureMs: DELAY_MS,
      onFailing: (cause) =>
        this.logger.error('Calls of deprecated operations cannot be counted. Trying again.', cause),
      onWorking: () => this.logger.log('Calls of deprecated operations can be counted again.'),
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
