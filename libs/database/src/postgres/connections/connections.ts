import { Logger } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { inTime, RepeatedTask, StorageUnavailable } from '@animal-store/kernel';
import { errorCode } from '../../driver-errors.js';
import { isOfConnection, PreparedStateLost } from '../postgres-errors.js';
import { StatementNames } from '../round-trip.js';

const TOO_MANY_CONNECTIONS = '53300';
/** How often a server with fewer connections than it wants tries to open the others. */
const RETRY_MS = 10_000;
const CLOSE_LIMIT_MS = 1_000;

/** How many connections a server has, and how many it wants. */
export interface ConnectionCounts {
  readonly open: number;
  readonly wanted: number;
  /** Whether PostgreSQL has refused the others. */
  readonly areRefused: boolean;
}

interface PoolCounts {
  readonly wanted: number;
  /** Not those that are being opened. */
  open: number;
}

/**
 * The connections of a server to PostgreSQL, in several pools. When PostgreSQL refuses further ones, callers wait for one
 * that is open, and each pool has at least one.
 */
export class Connections {
  readonly names = new StatementNames();
  private readonly logger = new Logger(Connections.name);
  private readonly pools = new Map<Pool, PoolCounts>();
  private isShort = false;
  private hasWarned = false;
  private refusedCount = 0;
  private taking: Promise<boolean> | null = null;
  private readonly growing = new RepeatedTask({ step: () => this.grow(), restAfterFailureMs: RETRY_MS });
  /** Connections with an older number may have prepared statements that are of no use. */
  private generation = 0;
  private readonly generations = new WeakMap<PoolClient, number>();

  add(pool: Pool): void {
    const counts = { wanted: pool.options.max, open: pool.totalCount };
    this.pools.set(pool, counts);
    pool.on('connect', () => counts.open++);
    pool.on('remove', () => counts.open--);
  }

  get counts(): ConnectionCounts {
    let open = 0;
    let wanted = 0;
    for (const counts of this.pools.values()) {
      open += counts.open;
      wanted += counts.wanted;
    }
    return { open, wanted, areRefused: this.isShort };
  }

  /** Opens all that are wanted. One that cannot be opened now is opened when a request needs it. */
  open(): Promise<void> {
    return this.growing.run();
  }

  stop(): Promise<void> {
    return this.growing.stop();
  }

  /**
   * Runs the work on a connection, and again on another one when PostgreSQL did not run a statement of it, as the connection
   * had lost its prepared statements.
   * @param isUsableAfterError whether the connection can be used again although `work` failed
   * @throws StorageUnavailable when there is no connection in time
   */
  async run<T>(
    pool: Pool,
    work: (client: PoolClient) => Promise<T>,
    isUsableAfterError: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<T> {
    try {
      return await this.runOnce(pool, work, isUsableAfterError);
    } catch (error) {
      if (!(error instanceof PreparedStateLost)) throw error;
      return this.runOnce(pool, work, isUsableAfterError);
    }
  }

  private async runOnce<T>(
    pool: Pool,
    work: (client: PoolClient) => Promise<T>,
    isUsableAfterError: () => Promise<boolean>,
  ): Promise<T> {
    const client = await this.connect(pool);
    // The next statement reports a connection that breaks between two statements. Without a listener the error would
    // end the process.
    client.on('error', ignore);
    let isUsable = true;
    try {
      return await work(client);
    } catch (error) {
      // A server that does not respond would not respond to a ROLLBACK either. Closing the connection rolls back as
      // well.
      isUsable = !isOfConnection(error) && (await isUsableAfterError());
      // A change of a column is seen on every connection, so none that is open is used again.
      if (error instanceof PreparedStateLost && this.generations.get(client) === this.generation) {
        this.generation++;
        this.names.renew();
      }
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(!isUsable);
    }
  }

  private async connect(pool: Pool): Promise<PoolClient> {
    for (;;) {
      const client = await pool.connect().catch((error: unknown) => this.refused(pool, error));
      if (client === null) continue;
      const generation = this.generations.get(client) ?? this.generation;
      this.generations.set(client, generation);
      if (generation === this.generation) return client;
      await close(client);
    }
  }

  /**
   * Makes callers wait for a connection that is open.
   * @throws StorageUnavailable when there is another reason, or no connection
   */
  private async refused(pool: Pool, error: unknown): Promise<null> {
    if (!this.isRefusal(pool, error)) throw new StorageUnavailable(error);
    if (!this.isShort) {
      this.isShort = true;
      void this.growing.run();
    }
    if (this.pools.get(pool)!.open > 0) return null;
    this.taking ??= this.takeFromLargest().finally(() => (this.taking = null));
    if (!(await this.taking)) throw new StorageUnavailable(error);
    return null;
  }

  private isRefusal(pool: Pool, error: unknown): boolean {
    if (errorCode(error) !== TOO_MANY_CONNECTIONS) return false;
    this.refusedCount++;
    pool.options.max = Math.max(1, this.pools.get(pool)!.open);
    return true;
  }

  /** Closes a connection of the pool that has most, so that another one gets its first. */
  private async takeFromLargest(): Promise<boolean> {
    const [[largest, { open }]] = [...this.pools].sort(([, a], [, b]) => b.open - a.open) as [
      [Pool, PoolCounts],
    ];
    if (open < 2) return false;
    largest.options.max = open - 1;
    await close(await largest.connect());
    return true;
  }

  private async grow(): Promise<number | null> {
    const { refusedCount: before, isShort: wasShort } = this;
    for (const [pool, { wanted: max }] of this.pools) pool.options.max = max;
    // All connect before the first is released. Each is released at once, as only the pool listens for its errors.
    const openAll = (pool: Pool) =>
      Array.from({ length: pool.options.max }, () =>
        pool.connect().then(
          (client) => client.release(),
          (error: unknown) => void this.isRefusal(pool, error),
        ),
      );
    await Promise.all([...this.pools.keys()].flatMap(openAll));
    this.isShort = this.refusedCount > before;
    const { open, wanted } = this.counts;
    if (this.isShort && !this.hasWarned)
      this.logger.warn(
        `PostgreSQL refuses further connections: ${open} of ${wanted} are open. Requests wait for these. ` +
          'Raise the limit of PostgreSQL or of its role, or have fewer or smaller servers.',
      );
    if (wasShort && !this.isShort) this.logger.log(`PostgreSQL has opened all ${wanted} connections.`);
    this.hasWarned = this.isShort;
    return this.isShort ? RETRY_MS : null;
  }
}

async function close(client: PoolClient): Promise<void> {
  client.on('error', ignore);
  // PostgreSQL counts the connection until then.
  const closed = new Promise((resolve) => client.once('end', resolve));
  client.release(true);
  await inTime(CLOSE_LIMIT_MS, closed, 'Closing a connection').catch(ignore);
}

function ignore(): void {}
