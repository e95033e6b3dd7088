import pg from 'pg';
import type { Database, Row, Unit } from './database.js';

/** A pool as large as that of the service. */
export class PostgresDatabase implements Database {
  readonly isShared = true;
  private readonly pool: pg.Pool;
  private readonly prepared = new Map<string, { name: string; text: string; rowMode: 'array' }>();

  constructor(connectionString: string) {
    this.pool = new pg.Pool({ connectionString, max: 10 });
    this.pool.on('error', (error) => console.error(error.message));
  }

  read(sql: string, ...values: unknown[]): Promise<Row[]> {
    return this.query(this.pool, sql, ...values);
  }

  run(sql: string, ...values: unknown[]): Promise<Row[]> {
    return this.query(this.pool, sql, ...values);
  }

  async transaction<T>(unit: () => Unit<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const running = unit();
      let step = running.next();
      while (!step.done) step = running.next(await this.query(client, ...step.value));
      await client.query('COMMIT');
      client.release();
      return step.value;
    } catch (error) {
      // Without its connection the transaction is rolled back.
      client.release(true);
      throw error;
    }
  }

  private async query(client: pg.Pool | pg.PoolClient, sql: string, ...values: unknown[]): Promise<Row[]> {
    let statement = this.prepared.get(sql);
    if (!statement) {
      let parameters = 0;
      const text = sql.replace(/\?/g, () => `$${++parameters}`);
      statement = { name: `statement_${this.prepared.size}`, text, rowMode: 'array' };
      this.prepared.set(sql, statement);
    }
    return (await client.query<unknown[]>({ ...statement, values })).rows;
  }
}
