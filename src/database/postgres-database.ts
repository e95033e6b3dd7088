import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { StorageUnavailable } from '../shared/storage-unavailable.js';
import type { Transaction } from '../shared/unit-of-work.js';
import { Database, SqlTransaction, type SqlValue } from './database.js';
import { errorCode } from './error-code.js';
import { UniqueViolation } from './unique-violation.js';

const UNIQUE_VIOLATION = '23505';
/** SQLSTATE classes and codes of a server that is gone, going, out of resources or too slow (PostgreSQL, appendix A). */
const UNAVAILABLE = /^(08|53|57P0|57014|55P03|25P03|58)/;
/** A deadlock or a serialisation failure: the transaction did nothing and may simply run again. */
const RETRYABLE = /^(40001|40P01)$/;
const MAX_ATTEMPTS = 3;

export class PostgresDatabase extends Database {
  readonly dialect = 'postgres' as const;
  private readonly names = new StatementNames();

  private readonly pool: Pool;

  constructor(private readonly dataSource: DataSource) {
    super();
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
  }

  async query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      const { rows } = await this.pool.query({
        name: this.names.of(sql),
        text: sql,
        values: parameters as SqlValue[],
      });
      return rows as Row[];
    } catch (error) {
      throw translated(error);
    }
  }

  protected async begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(work);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !RETRYABLE.test(errorCode(error))) throw error;
      }
    }
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  private async attempt<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw translated(error);
    });
    let broken = false;
    const transaction = new PostgresTransaction(client, this.names);
    try {
      await transaction.query('BEGIN');
      const result = await work(transaction);
      await transaction.query('COMMIT');
      return result;
    } catch (error) {
      broken = await client.query('ROLLBACK').then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

class PostgresTransaction extends SqlTransaction {
  constructor(
    private readonly client: PoolClient,
    private readonly names: StatementNames,
  ) {
    super();
  }

  async query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      const { rows } = await this.client.query({
        name: this.names.of(sql),
        text: sql,
        values: parameters as SqlValue[],
      });
      return rows as Row[];
    } catch (error) {
      throw translated(error);
    }
  }
}

/** A short name per SQL text, so that every connection parses and plans each statement once. */
class StatementNames {
  private readonly names = new Map<string, string>();

  of(sql: string): string {
    let name = this.names.get(sql);
    if (!name) {
      name = `s${this.names.size + 1}`;
      this.names.set(sql, name);
    }
    return name;
  }
}

function translated(error: unknown): unknown {
  const code = errorCode(error);
  if (code === UNIQUE_VIOLATION) return new UniqueViolation(error);
  // Without an SQLSTATE the failure is the connection's own: refused, reset, timed out, terminated.
  const fromServer = (error as { severity?: unknown } | null)?.severity !== undefined;
  return !fromServer || UNAVAILABLE.test(code) ? new StorageUnavailable(error) : error;
}
