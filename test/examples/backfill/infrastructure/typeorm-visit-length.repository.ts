import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { VisitLengthRecord } from './visit-length.record.js';

@Injectable()
export class TypeOrmVisitLengthRepository {
  private readonly statements: ReturnType<typeof lengthStatements>;

  constructor(private readonly database: Database) {
    this.statements = lengthStatements(database);
  }

  /** The first row without a value after this id, or null. */
  async firstUnfilled(after: bigint): Promise<bigint | null> {
    return (await this.statements.unfilled.getOne({ after }))?.id ?? null;
  }

  /** Fills the rows from one id to another that have no value, in a transaction of its own. */
  async fill(from: bigint, until: bigint): Promise<void> {
    await this.database.run((transaction) => this.statements.fill.getMany({ from, until }, transaction));
  }
}

function lengthStatements(database: Database) {
  const visits = database.statements(VisitLengthRecord, 'visit');
  return {
    unfilled: visits
      .except('It reads all rows once, while the column is filled.')
      .select<{ after: bigint }, { id: bigint }>((visit) =>
        visit
          .select('visit.id')
          .where('visit.id > :after AND visit.nameLength IS NULL')
          .orderBy('visit.id')
          .limit(1),
      ),
    fill: visits.sql<{ from: bigint; until: bigint }, { id: bigint }>(
      ({ table, columns: { id, name, nameLength } }) =>
        `UPDATE ${table} SET ${nameLength} = length(${name})
        WHERE ${id} >= :from AND ${id} < :until AND ${nameLength} IS NULL RETURNING ${id}`,
    ),
  };
}
