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
 * How long the database may take, and for how long its answer counts. Anyone may ask, without a key or a limit; as the
 * two are the same, there is one query at a time however many ask.
 */
const DATABASE_CHECK_MS = 1_000;

/** Whether this server should be sent requests. */
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
      .attempt(() => this.askDatabase())
      .withTimeout(DATABASE_CHECK_MS)
      .cacheFor(DATABASE_CHECK_MS);
    this.logChange(database.status === 'up');
    return {
      shuttingDown: this.shuttingDown,
      database: database.status === 'up' ? 'up' : 'down',
      redis: this.options.redisState(),
    };
  }

  private async askDatabase(): Promise<void> {
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
    if (up) this.logger.log('The database answers again.');
    else this.logger.error('The database does not answer.', this.failure);
  }
}
