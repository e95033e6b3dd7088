import { Logger } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { type Clock, inTime, StorageUnavailable } from '@animal-store/kernel';
import { errorCode } from '../../driver-errors.js';
import { isOfConnection, isRetryable, PreparedStateLost, rethrowTranslated } from '../postgres-errors.js';
import { type NamedText, RoundTrip, SentStatement, StatementNames } from '../round-trip.js';
import { settingsForOne } from './pooler.js';

const TOO_MANY_CONNECTIONS = '53300';
const CLOSE_LIMIT_MS = 1_000;
/** How long to wait before requesting refused connections again. */
const REFUSED_MS = 5_000;
/** How often work is run that deadlocks have ended. */
const MAX_ATTEMPTS = 3;

/** How many connections a server has, and how many its settings allow. */
export interface ConnectionCounts {
  readonly open: number;
  readonly wanted: number;
  /** Whether PostgreSQL has refused others lately. */
  readonly areRefused: boolean;
}

/**
 * The connections of a server to PostgreSQL, in several pools. When PostgreSQL refuses further ones, callers wait for
 * an open one, and retry after a while.
 */
export class Connections {
  readonly names = new StatementNames();
  private readonly logger = new Logger(Connections.name);
  /** How many are open, not those that are being opened. */
  private readonly openCounts = new Map<Pool, number>();
  private readonly wanted: ReadonlyMap<Pool, number>;
  private refusedAtMs = -Infinity;
  /** Connections with an older number may have prepared statements that are of no use. */
  private generation = 0;
  private readonly generations = new WeakMap<PoolClient, number>();

  constructor(
    private readonly pools: readonly Pool[],
    private readonly clock: Clock,
  ) {
    this.wanted = new Map(pools.map((pool) => [pool, pool.options.max]));
    for (const pool of pools) {
      const count = (more: number) => () => this.openCounts.set(pool, this.openOf(pool) + more);
      this.openCounts.set(pool, pool.totalCount);
      pool.on('connect', count(1)).on('remove', count(-1));
    }
  }

  get counts(): ConnectionCounts {
    const open = this.pools.reduce((sum, pool) => sum + this.openOf(pool), 0);
    const wanted = [...this.wanted.values()].reduce((sum, max) => sum + max, 0);
    // While requests arrive, a connection is retried before this ends.
    return { open, wanted, areRefused: this.refusedForMs < 2 * REFUSED_MS };
  }

  private get refusedForMs(): number {
    return this.clock.monotonicMs() - this.refusedAtMs;
  }

  /** Opens all that are wanted. One that cannot be opened now is opened when a request needs it. */
  async open(): Promise<void> {
    // All connect before the first is released. Each is released at once, as only the pool listens for its errors.
    const openAll = (pool: Pool) =>
      Array.from({ length: pool.options.max }, () =>
        pool.connect().then(
          (client) => client.release(),
          (error: unknown) => [pool, error] as const,
        ),
      );
    // Then none is being opened, so the warning has the right number.
    for (const failed of await Promise.all(this.pools.flatMap(openAll)))
      if (failed) this.isRefused(...failed);
  }

  /** Runs a statement outside a transaction, on a connection of the pool. */
  query(pool: Pool, named: NamedText, values: readonly unknown[]): Promise<SentStatement> {
    return this.run(pool, (client) => this.send(client, named, values));
  }

  /** Runs a statement on this connection. */
  async send(
    client: PoolClient,
    named: NamedText,
    values: readonly unknown[],
    rowMode?: 'texts',
  ): Promise<SentStatement> {
    const statement = new SentStatement(named, values, true, rowMode);
    const settings = settingsForOne(client, this.names);
    const trip = new RoundTrip(settings === null ? [statement] : [settings, statement]);
    await trip.send(client).catch(rethrowTranslated);
    return statement;
  }

  /**
   * Runs the work on a connection. It runs again when a deadlock has ended it, and on another connection when that has
   * lost its prepared statements, so that PostgreSQL ran nothing.
   * @param isUsableAfterError whether the connection can be used again although `work` failed
   * @throws StorageUnavailable when there is no connection in time, or deadlocks end it again and again
   */
  async run<T>(
    pool: Pool,
    work: (client: PoolClient) => Promise<T>,
    isUsableAfterError: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<T> {
    for (let attempts = 1; ; attempts++) {
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
        if (isRetryable(error)) {
          if (attempts === MAX_ATTEMPTS) throw new StorageUnavailable(error);
          continue;
        }
        if (!(error instanceof PreparedStateLost)) throw error;
        // A change of a column is seen on every connection, so none that is open is used again.
        if (this.generations.get(client) === this.generation) {
          this.generation++;
          this.names.renew();
        }
        if (attempts > 1) throw error;
      } finally {
        client.off('error', ignore);
        client.release(!isUsable);
      }
    }
  }

  private async connect(pool: Pool): Promise<PoolClient> {
    for (;;) {
      const wanted = this.wanted.get(pool)!;
      if (pool.options.max < wanted && this.refusedForMs > REFUSED_MS) pool.options.max = wanted;
      const client = await pool.connect().catch(async (error: unknown) => {
        if (this.isRefused(pool, error) && (this.openOf(pool) > 0 || (await this.closeOne()))) return null;
        throw new StorageUnavailable(error);
      });
      if (client === null) continue;
      const generation = this.generations.get(client) ?? this.generation;
      this.generations.set(client, generation);
      if (generation === this.generation) return client;
      await close(client);
    }
  }

  /** The largest pool closes one for a pool without any: otherwise checks could fail, and with them all requests. */
  private async closeOne(): Promise<boolean> {
    const [largest] = this.pools.toSorted((a, b) => this.openOf(b) - this.openOf(a)) as [Pool];
    if (this.openOf(largest) < 2) return false;
    largest.options.max = this.openOf(largest) - 1;
    const client = await largest.connect().catch(() => null);
    if (client) await close(client);
    return client !== null;
  }

  /** Whether PostgreSQL refuses a further connection, so that callers must wait for one that is open. */
  private isRefused(pool: Pool, error: unknown): boolean {
    if (errorCode(error) !== TOO_MANY_CONNECTIONS) return false;
    pool.options.max = Math.max(1, this.openOf(pool));
    const { open, wanted, areRefused } = this.counts;
    this.refusedAtMs = this.clock.monotonicMs();
    if (!areRefused)
      this.logger.warn(
        `PostgreSQL refuses further connections: ${open} of ${wanted} are open. Requests wait for these. ` +
          'Raise the limit of PostgreSQL or of its role, or have fewer or smaller servers.',
      );
    return true;
  }

  private openOf(pool: Pool): number {
    return this.openCounts.get(pool)!;
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
