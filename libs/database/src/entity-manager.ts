import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** A transaction as an EntityManager sees it. */
export interface OpenTransaction {
  /** What TypeORM runs statements on, when everything before has run. */
  connect(): Promise<unknown>;
  /** @throws Error when the transaction has ended. */
  requireOpen(): void;
  /** Translates an error of the driver into one of this service. */
  translated(error: unknown): unknown;
}

/**
 * An EntityManager inside a transaction that it neither begins nor ends.
 * @param shared has the cache of prepared statements, where the driver has one
 */
export function entityManagerWithin(
  transaction: OpenTransaction,
  dataSource: DataSource,
  shared: QueryRunner,
): EntityManager {
  const runner = Object.create(shared) as QueryRunner;
  const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
  return dataSource.createEntityManager(
    Object.assign(runner, {
      // Makes a transaction that the manager begins a savepoint of this one.
      isTransactionActive: true,
      transactionDepth: 1,
      connect: () => transaction.connect(),
      query: async (...args: unknown[]) => {
        transaction.requireOpen();
        try {
          return await query(...args);
        } catch (error) {
          throw transaction.translated(error);
        }
      },
    } as object),
  );
}
