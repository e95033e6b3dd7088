import { Injectable, Logger } from '@nestjs/common';
import { atMostEvery, Clock, inTime } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import type { JobsHealth, ReadinessReport, RedisHealth } from '../operations.options.js';

/**
 * The time-out of a database check, and how long its result is cached. Anyone may request it, without a key or a limit.
 * As both times are equal, checks hardly ever overlap.
 */
const DATABASE_CHECK_MS = 1_000;
/** How far the clocks of the host and of the database may be apart. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Whether this server should receive requests. */
@Injectable()
export class Readiness {
  private readonly logger = new Logger(Readiness.name);
  private shuttingDown = false;
  private databaseWasUp = true;
  private clocksDiffer = false;
  private readonly isDatabaseUp: () => Promise<boolean>;
  private redis: RedisHealth | undefined;
  private jobs: JobsHealth | undefined;

  constructor(
    private readonly database: Database,
    clock: Clock,
  ) {
    this.isDatabaseUp = atMostEvery(DATABASE_CHECK_MS, clock, () => this.checkDatabase());
  }

  /** Shows what else the service needs. Call it in `onModuleInit`. */
  watch({ redis, jobs }: { redis?: RedisHealth; jobs?: JobsHealth }): void {
    this.redis = redis ?? this.redis;
    this.jobs = jobs ?? this.jobs;
  }

  startShutdown(): void {
    this.shuttingDown = true;
  }

  async check(): Promise<ReadinessReport> {
    const [isUp, redis] = await Promise.all([this.isDatabaseUp(), this.redis?.redisState() ?? 'off']);
    const { shuttingDown } = this;
    const isDegraded = this.database.connections?.areRefused === true || this.clocksDiffer;
    const database = !isUp ? 'down' : isDegraded ? 'degraded' : 'up';
    const jobs = this.jobs?.state ?? 'off';
    const redisNodes = this.redis?.redisNodes() ?? new Map<string, boolean>();
    return { ready: !shuttingDown && isUp, shuttingDown, database, redis, redisNodes, jobs };
  }

  /** Whether the database responds in time. Logs only changes. */
  private async checkDatabase(): Promise<boolean> {
    const wasUp = this.databaseWasUp;
    try {
      await inTime(DATABASE_CHECK_MS, this.database.check(), 'The check of the database');
      this.databaseWasUp = true;
      if (!wasUp) this.logger.log('The database responds again.');
      this.compareClocks();
    } catch (cause) {
      this.databaseWasUp = false;
      if (wasUp) this.logger.error('The database does not respond.', cause);
    }
    return this.databaseWasUp;
  }

  /** Logs only changes. */
  private compareClocks(): void {
    const differedBefore = this.clocksDiffer;
    const seconds = Math.round(this.database.clockAheadMs / 1_000);
    this.clocksDiffer = Math.abs(this.database.clockAheadMs) > MAX_CLOCK_DIFFERENCE_MS;
    if (this.clocksDiffer && !differedBefore)
      this.logger.warn(
        `The clock of this host is ${seconds} s ahead of the database's. One of them is wrong.`,
      );
    if (differedBefore && !this.clocksDiffer)
      this.logger.log("The clock of this host and the database's agree again.");
  }
}
