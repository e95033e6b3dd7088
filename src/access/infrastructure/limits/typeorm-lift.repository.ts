import { Injectable } from '@nestjs/common';
import { DAY_MS, type Transaction } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import { type Lift, LiftRepository } from '../../domain/ban.js';
import { LiftRecord } from './lift.record.js';

/** Bounds the memory of a read. */
const LIFTS_A_READ = 1_000;

/** The lifts of bans in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmLiftRepository extends LiftRepository {
  private readonly statements: ReturnType<typeof liftStatements>;

  constructor(database: Database) {
    super();
    this.statements = liftStatements(database);
  }

  async add(subject: string, liftedAtMs: number, transaction: Transaction): Promise<void> {
    await this.statements.takeTurn(transaction);
    const latest = await this.statements.latest.getOne({}, transaction);
    const changedAtMs = latest === null ? liftedAtMs : Math.max(liftedAtMs, latest.changedAtMs + 1);
    await this.statements.save.execute({ subject, liftedAtMs, changedAtMs }, transaction);
    // Here, as only lifts make the table grow.
    await this.statements.forget.getMany({ beforeMs: changedAtMs - DAY_MS }, transaction);
  }

  async *after(afterMs: number): AsyncIterable<readonly Lift[]> {
    let lifts: readonly Lift[];
    do {
      lifts = await this.statements.after.getMany({ afterMs });
      yield lifts;
      afterMs = lifts.at(-1)?.changedAtMs ?? afterMs;
    } while (lifts.length === LIFTS_A_READ);
  }
}

/** The lifts for background work. */
@Injectable()
export class BackgroundLifts extends TypeOrmLiftRepository {
  constructor({ background }: Database) {
    super(background);
  }
}

function liftStatements(database: Database) {
  const lifts = database.statements(LiftRecord, 'lift');
  return {
    takeTurn: lifts.turn(7_201_032),
    latest: lifts.select<object, Pick<LiftRecord, 'changedAtMs'>>((lift) =>
      lift.select('lift.changedAtMs').orderBy('lift.changedAtMs', 'DESC').limit(1),
    ),
    save: lifts.insertWithId(['subject', 'liftedAtMs', 'changedAtMs'], { replaces: ['subject'] }),
    forget: lifts.sql<{ beforeMs: number }>(
      ({ table, columns }) => `DELETE FROM ${table} WHERE ${columns.changedAtMs} < :beforeMs`,
    ),
    after: lifts.select<{ afterMs: number }>((lift) =>
      lift.where('lift.changedAtMs > :afterMs').orderBy('lift.changedAtMs').limit(LIFTS_A_READ),
    ),
  };
}
