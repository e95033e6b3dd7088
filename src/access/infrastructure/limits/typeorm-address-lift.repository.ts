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
    await this.statements.takeTurn?.getOne({}, transaction);
    const { changedAt: latest } = (await this.statements.latest.getOne({}, transaction))!;
    const liftedAt = BigInt(liftedAtMs);
    const changedAt = latest !== null && latest >= liftedAt ? latest + 1n : liftedAt;
    await this.statements.save.execute({ address, liftedAt, changedAt }, transaction);
    // Here, as only lifts make the table grow.
    await this.statements.forget.getMany({ before: changedAt - BigInt(DAY_MS) }, transaction);
  }

  async *after(afterMs: number): AsyncIterable<readonly AddressLift[]> {
    let after = BigInt(afterMs);
    let rows: readonly AddressLiftRecord[];
    do {
      rows = await this.statements.after.getMany({ after });
      yield rows.map(({ address, liftedAt, changedAt }) => ({
        address,
        liftedAtMs: Number(liftedAt),
        changedAtMs: Number(changedAt),
      }));
      after = rows.at(-1)?.changedAt ?? after;
    } while (rows.length === LIFTS_A_READ);
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
    /** Makes lifts take turns, as changes of keys do, by another number. */
    takeTurn:
      database.dialect === 'postgres' ? lifts.sql(() => 'SELECT pg_advisory_xact_lock(7201032)') : null,
    latest: lifts.select<object, { changedAt: bigint | null }>((lift) =>
      lift.select('MAX(lift.changedAt)', 'changedAt'),
    ),
    save: lifts.insertWithId(['address', 'liftedAt', 'changedAt'], { replaces: ['address'] }),
    forget: lifts.sql<{ before: bigint }>(
      ({ table, columns }) => `DELETE FROM ${table} WHERE ${columns.changedAt} < :before`,
    ),
    after: lifts.select<{ after: bigint }>((lift) =>
      lift.where('lift.changedAt > :after').orderBy('lift.changedAt').limit(LIFTS_A_READ),
    ),
  };
}
