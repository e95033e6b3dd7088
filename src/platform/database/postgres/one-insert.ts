import type { Transaction } from '@animal-store/kernel';
import { misuse } from '../insert-misuse.js';
import { type InsertSql, SqlTransaction, type SqlValue } from '../sql-session.js';

/** Inserts a row and returns its id once it is committed. */
export type InsertRow = (statement: InsertSql, values: readonly SqlValue[]) => Promise<bigint>;

/** The transaction of a unit of work that is one insert. */
export class OneInsert extends SqlTransaction {
  private inserting: Promise<bigint> | null = null;
  private hasEnded = false;

  private constructor(private readonly insertRow: InsertRow) {
    super();
  }

  /**
   * Runs `work` and resolves when its row is stored.
   * @throws TypeError when `work` runs anything but one InsertStatement.
   */
  static async run<T>(
    insertRow: InsertRow,
    work: (transaction: Transaction) => Promise<T>,
    report: (error: unknown) => void,
  ): Promise<T> {
    const transaction = new OneInsert(insertRow);
    try {
      const result = await work(transaction);
      if (!transaction.inserting) throw misuse('ran no InsertStatement');
      await transaction.inserting;
      transaction.committed(report);
      return result;
    } catch (error) {
      // The insert may fail as well, later. This error is the one that is reported.
      transaction.inserting?.catch(ignore);
      throw error;
    } finally {
      transaction.hasEnded = true;
    }
  }

  async insert(statement: InsertSql, values: readonly SqlValue[]): Promise<bigint> {
    if (this.hasEnded) throw new Error('This unit of work has ended; the row would not belong to it.');
    if (this.inserting) throw misuse('ran a second InsertStatement');
    return (this.inserting = this.insertRow(statement, values));
  }

  async query(): Promise<never> {
    throw misuse('ran another statement');
  }

  entityManager(): never {
    throw misuse('asked for an EntityManager');
  }
}

function ignore(): void {}
