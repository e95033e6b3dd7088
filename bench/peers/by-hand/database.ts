export type Awaitable<T> = T | Promise<T>;
/** Whole numbers are bigints on SQLite and text on PostgreSQL. */
export type Row = readonly unknown[];
/** Work within one transaction: it yields each statement with its values and gets the rows. */
export type Unit<T> = Generator<readonly [sql: string, ...values: unknown[]], T, Row[]>;

/**
 * The two databases understand the same SQL, with a `?` for each parameter. Each statement is prepared once. A
 * statement that changes nothing has no rows.
 */
export interface Database {
  /** Whether other processes change it too, so that nothing that was read may be cached. */
  readonly isShared: boolean;
  read(sql: string, ...values: unknown[]): Awaitable<Row[]>;
  /** One statement that writes, on the disk before it resolves. */
  run(sql: string, ...values: unknown[]): Promise<Row[]>;
  transaction<T>(unit: () => Unit<T>): Promise<T>;
}
