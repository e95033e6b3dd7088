import { Injectable, Logger } from '@nestjs/common';
import { Clock, inTime } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import { OperationsOptions, type ReadinessReport, type RedisState } from '../operations.options.js';

/**
 * The time-out of a database check, and how long its result is cached. Anyone may request it, without a key or a limit.
 * As both times are equal, checks hardly ever overlap.
 */
const DATABASE_CHECK_MS = 1_000;

/** Whether this server should receive requests. */
@Injectable()
export class Readiness {
  /** The rate limiter, which knows Redis, needs Metrics of this module, so its module sets this. */
  redisState: () => RedisState = () => 'off';
  private readonly logger = new Logger(Readiness.name);
  private shuttingDown = false;
  private databaseWasUp = true;
  private latestCheck = Promise.resolve(true);
  private nextCheckAtMs = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly options: OperationsOptions,
  ) {}

  beginShutdown(): void {
    this.shuttingDown = true;
  }

  /** Of all processes, when there are several. */
  async check(): Promise<ReadinessReport> {
    return (await this.options.worker?.readinessOfAll()) ?? this.own();
  }

  /** Of this process alone. */
  async own(): Promise<ReadinessReport> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs >= this.nextCheckAtMs) {
      this.nextCheckAtMs = nowMs + DATABASE_CHECK_MS;
      this.latestCheck = this.checkDatabase();
    }
    const database = (await this.latestCheck) ? 'up' : 'down';
    const { shuttingDown } = this;
    const ready = !shuttingDown && database === 'up';
    return { ready, shuttingDown, database, redis: this.redisState() };
  }

  /** Whether the database responds in time. Logs only changes. */
  private async checkDatabase(): Promise<boolean> {
    const wasUp = this.databaseWasUp;
    try {
      await inTime(DATABASE_CHECK_MS, this.database.check(), 'The check of the database');
      this.databaseWasUp = true;
      if (!wasUp) this.logger.log('The database responds again.');
    } catch (cause) {
      this.databaseWasUp = false;
      if (wasUp) this.logger.error('The database does not respond.', cause);
    }
    return this.databaseWasUp;
  }
}
