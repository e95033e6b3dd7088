import { Injectable } from '@nestjs/common';
import { DAY_MS, type Transaction } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import { type AddressLift, AddressLiftRepository } from '../../domain/ban.js';
import { AddressLiftRecord } from './address-lift.record.js';

/** Bounds the memory of a read. */
const LIFTS_A_READ = 1_000;

/** The lifts of addresses in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmAddressLiftRepository extends AddressLiftRepository {
  private readonly statements: ReturnType<typeof liftStatements>;

  constructor(database: Database) {
    super();
    this.statements = liftStatements(database);
  }

  async add(address: string, liftedAtMs: number, transaction: Transaction): Promise<void> {
    await this.statements.takeTurn(transaction);
    const latest = await this.statements.latest.getOne({}, transaction);
    const changedAtMs = latest === null ? liftedAtMs : Math.max(liftedAtMs, latest.changedAtMs + 1);
    await this.statements.save.execute({ address, liftedAtMs, changedAtMs }, transaction);
    // Here, as only lifts make the table grow.
    await this.statements.forget.getMany({ beforeMs: changedAtMs - DAY_MS }, transaction);
  }

  async *after(afterMs: number): AsyncIterable<readonly AddressLift[]> {
    let lifts: readonly AddressLift[];
    do {
      lifts = await this.statements.after.getMany({ afterMs });
      yield lifts;
      afterMs = lifts.at(-1)?.changedAtMs ?? afterMs;
    } while (lifts.length === LIFTS_A_READ);
  }
}

/** The lifts for background work. */
@Injectable()
export class BackgroundLifts extends TypeOrmAddressLiftRepository {
  constructor({ background }: Database) {
    super(background);
  }
}

function liftStatements(database: Database) {
  const lifts = database.statements(AddressLiftRecord, 'lift');
  return {
    takeTurn: lifts.turn(7_201_032),
    latest: lifts.select<object, Pick<AddressLiftRecord, 'changedAtMs'>>((lift) =>
      lift.select('lift.changedAtMs').orderBy('lift.changedAtMs', 'DESC').limit(1),
    ),
    save: lifts.insertWithId(['address', 'liftedAtMs', 'changedAtMs'], { replaces: ['address'] }),
    forget: lifts.sql<{ beforeMs: number }>(
      ({ table, columns }) => `DELETE FROM ${table} WHERE ${columns.changedAtMs} < :beforeMs`,
    ),
    after: lifts.select<{ afterMs: number }>((lift) =>
      lift.where('lift.changedAtMs > :afterMs').orderBy('lift.changedAtMs').limit(LIFTS_A_READ),
    ),
  };
}
