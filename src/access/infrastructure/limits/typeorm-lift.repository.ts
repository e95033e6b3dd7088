import { Injectable } from '@nestjs/common';
import { DAY_MS, type Transaction } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import { type Lift, LiftRepository } from '../../domain/ban.js';
import { LiftRecord } from './lift.record.js';

/** The lifts of bans in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmLiftRepository extends LiftRepository {
  private readonly statements: ReturnType<typeof liftStatements>;

  constructor(database: Database) {
    super();
    this.statements = liftStatements(database);
  }

  async add(subject: string, liftedAtMs: number, transaction: Transaction): Promise<void> {
    const changedAtMs = await this.statements.changes.nextMs(liftedAtMs, transaction);
    await this.statements.save.execute({ subject, liftedAtMs, changedAtMs }, transaction);
    // Here, as only lifts make the table grow.
    await this.statements.forget.getMany({ beforeMs: changedAtMs - DAY_MS }, transaction);
  }

  changedAfter(afterMs: number, limit: number): Promise<readonly Lift[]> {
    return this.statements.changes.after(afterMs, limit);
  }
}

function liftStatements(database: Database) {
  const lifts = database.statements(LiftRecord, 'lift');
  return {
    changes: lifts.changes(),
    save: lifts.insertWithId(['subject', 'liftedAtMs', 'changedAtMs'], { replaces: ['subject'] }),
    forget: lifts.sql<{ beforeMs: number }>(
      ({ table, columns }) => `DELETE FROM ${table} WHERE ${columns.changedAtMs} < :beforeMs`,
    ),
  };
}
