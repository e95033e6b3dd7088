import { type DataSource, type EntityManager, LessThanOrEqual } from 'typeorm';
import { DAY_MS } from '@animal-store/kernel';
import {
  type Claim,
  type FirstResponse,
  type Found,
  type IdempotencyKey,
  IdempotencyStore,
} from '../idempotency.store.js';
import { IdempotencyRecord } from './idempotency.record.js';

/**
 * First responses in SQLite (better-sqlite3) or PostgreSQL, over the `DataSource` of the application, which has
 * `IdempotencyRecord` among its entities. A transaction is an `EntityManager`.
 *
 * TypeORM has one connection to SQLite, so there the transactions of this store take turns, and whatever else the
 * application writes through the `DataSource` in the meantime becomes part of the one that runs.
 */
export class TypeOrmIdempotencyStore extends IdempotencyStore<EntityManager> {
  private readonly isPostgres: boolean;
  /** On SQLite, the end of the last transaction. */
  private last: Promise<unknown> = Promise.resolve();

  private readonly now: () => number;

  /** @param options `now` is the time on SQLite, in milliseconds since the Unix epoch. PostgreSQL has its own clock. */
  constructor(
    private readonly dataSource: DataSource,
    { now = Date.now }: { readonly now?: () => number } = {},
  ) {
    super();
    this.now = now;
    this.isPostgres = dataSource.options.type === 'postgres';
  }

  transaction<T>(work: (transaction: EntityManager) => Promise<T>): Promise<T> {
    return this.inTurn(() => this.dataSource.transaction(work));
  }

  async claim(key: IdempotencyKey, manager: EntityManager): Promise<Claim> {
    const isLocked = !this.isPostgres || (await tryLock(key, manager));
    return { isLocked, ...(await this.foundIn(manager, key)) };
  }

  find(key: IdempotencyKey): Promise<Found> {
    return this.inTurn(() => this.foundIn(this.dataSource.manager, key));
  }

  async save(key: IdempotencyKey, response: FirstResponse, manager: EntityManager): Promise<void> {
    await manager.upsert(IdempotencyRecord, { ...key, ...response }, ['caller', 'value']);
  }

  /** Removes the responses that are older than a day. Call it once an hour or so. */
  async removeExpired(): Promise<void> {
    const { manager } = this.dataSource;
    await this.inTurn(async () => {
      const createdAtMs = LessThanOrEqual((await this.timeIn(manager)) - DAY_MS);
      await manager.delete(IdempotencyRecord, { createdAtMs });
    });
  }

  private async foundIn(manager: EntityManager, { caller, value }: IdempotencyKey): Promise<Found> {
    const nowMs = await this.timeIn(manager);
    return { first: await manager.findOneBy(IdempotencyRecord, { caller, value }), nowMs };
  }

  private async timeIn(manager: EntityManager): Promise<number> {
    if (!this.isPostgres) return this.now();
    const sql = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';
    const [row] = await manager.query<{ now: string }[]>(sql);
    return Number(row!.now);
  }

  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.isPostgres) return run();
    const result = this.last.then(run);
    // The next one runs however this one ends; the caller of this one gets its error.
    this.last = result.catch(() => undefined);
    return result;
  }
}

async function tryLock({ caller, value }: IdempotencyKey, manager: EntityManager): Promise<boolean> {
  const sql = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked';
  const [row] = await manager.query<{ locked: boolean }[]>(sql, [`${caller} ${value}`]);
  return row!.locked;
}
