import { Inject, Injectable, Logger } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Database } from '../../database/database.js';
import { OPERATIONS_OPTIONS, type OperationsOptions, type RedisState } from '../operations.options.js';

export interface ReadinessReport {
  readonly shuttingDown: boolean;
  readonly database: 'up' | 'down';
  readonly redis: RedisState;
}

/**
 * The time-out of a database check, and how long its result is cached. Anyone may request it, without a key or a limit.
 * As both times are equal, at most one check runs at a time.
 */
const DATABASE_CHECK_MS = 1_000;

/** Whether this server should receive requests. */
@Injectable()
export class Readiness {
  private readonly logger = new Logger(Readiness.name);
  private shuttingDown = false;
  private databaseWasUp = true;
  private failure: unknown;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {}

  beginShutdown(): void {
    this.shuttingDown = true;
  }

  async check(): Promise<ReadinessReport> {
    const { database } = await this.indicators
      .check('database')
      .attempt(() => this.checkDatabase())
      .withTimeout(DATABASE_CHECK_MS)
      .cacheFor(DATABASE_CHECK_MS);
    this.logChange(database.status === 'up');
    return {
      shuttingDown: this.shuttingDown,
      database: database.status === 'up' ? 'up' : 'down',
      redis: this.options.redisState(),
    };
  }

  private async checkDatabase(): Promise<void> {
    this.failure = undefined;
    try {
      await this.database.check();
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  private logChange(up: boolean): void {
    if (up === this.databaseWasUp) return;
    this.databaseWasUp = up;
    if (up) this.logger.log('The database responds again.');
    else this.logger.error('The database does not respond.', this.failure);
  }
}
