import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { DAY_MS, type Transaction } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import { type Lift, LiftRepository } from '../../domain/ban.js';
import { LiftRecord } from './lift.record.js';

/** The lifts of bans in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmLiftRepository extends LiftRepository {
  private readonly changes: ReturnType<typeof changesOf>;

  constructor(private readonly database: Database) {
    super();
    this.changes = changesOf(database);
  }

  async add(subject: string, liftedAtMs: number, transaction: Transaction): Promise<void> {
    const changedAtMs = await this.changes.nextMs(liftedAtMs, transaction);
    const manager = this.database.entityManager(transaction);
    await manager.upsert(LiftRecord, { subject, liftedAtMs, changedAtMs }, ['subject']);
    // Cleaned here, because only lifts make the table grow.
    await manager.delete(LiftRecord, { changedAtMs: LessThan(changedAtMs - DAY_MS) });
  }

  changedAfter(afterMs: number, limit: number): Promise<readonly Lift[]> {
    return this.changes.after(afterMs, limit);
  }
}

function changesOf(database: Database) {
  return database.statements(LiftRecord, 'lift').changes();
}
