import { Injectable } from '@nestjs/common';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { Database } from '@animal-store/database';
import { Every, Job, REMOVAL, RemoveExpired } from '@animal-store/jobs';
import { Clock } from '@animal-store/kernel';
import {
  DeprecatedCallRepository,
  type DeprecatedCalls,
  firstStoredDay,
} from '../../domain/deprecated-calls.js';
import { DeprecatedCallsRecord } from './deprecated-calls.record.js';

/** The calls of deprecated operations in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmDeprecatedCallRepository extends DeprecatedCallRepository {
  private readonly calls: Repository<DeprecatedCallsRecord>;
  private readonly statements: ReturnType<typeof callStatements>;

  constructor(private readonly database: Database) {
    super();
    this.calls = database.repository(DeprecatedCallsRecord);
    this.statements = callStatements(database);
  }

  async add(calls: readonly DeprecatedCalls[]): Promise<void> {
    // Sorted, because other servers lock the same rows, too.
    const rows = JSON.stringify(calls.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)));
    await this.database.run((transaction) => this.statements.add.getMany({ rows }, transaction));
  }

  async callersSince(day: number, limit: number): Promise<readonly DeprecatedCalls[]> {
    return (await this.sums(day).limit(limit).getRawMany<Sum>()).map(toCalls);
  }

  async ofAccount(account: string, day: number): Promise<readonly DeprecatedCalls[]> {
    const sums = this.sums(day).andWhere('called.account = :account', { account });
    return (await sums.getRawMany<Sum>()).map(toCalls);
  }

  /** Who called what from a day on, the most calls first. */
  private sums(day: number): SelectQueryBuilder<DeprecatedCallsRecord> {
    return this.calls
      .createQueryBuilder('called')
      .select(['called.operation AS "operation"', 'called.keyId AS "keyId"', 'called.account AS "account"'])
      .addSelect('MAX(called.day)', 'day')
      .addSelect('SUM(called.calls)', 'calls')
      .where('called.day >= :day', { day })
      .groupBy('called.operation, called.keyId, called.account')
      .orderBy('SUM(called.calls)', 'DESC')
      .addOrderBy('called.operation')
      .addOrderBy('called.keyId');
  }
}

/** The calls of days that are not stored any more. */
@Job('deprecated-calls.remove-expired', REMOVAL)
@Every('10m')
export class RemoveExpiredCalls extends RemoveExpired<DeprecatedCallsRecord, 'day'> {
  constructor(database: Database, clock: Clock) {
    super(database, DeprecatedCallsRecord, {
      beginning: { day: 0 },
      where: ({ day }) => `${day} < :before`,
      args: () => ({ before: firstStoredDay(clock.now()) }),
    });
  }
}

type Sum = Record<'day' | 'calls', string | number> &
  Record<'operation' | 'keyId', string> & { account: string | null };

/** Sums and maxima are no columns of the record, so nothing converts them. */
function toCalls(row: Sum): DeprecatedCalls {
  return { ...row, day: Number(row.day), calls: Number(row.calls) };
}

function placeOf({ day, operation, keyId }: DeprecatedCalls): string {
  return `${day} ${operation} ${keyId}`;
}

function callStatements(database: Database) {
  const calls = database.statements(DeprecatedCallsRecord, 'called');
  const rows = database.dialect === 'postgres' ? 'json_array_elements(:rows::json)' : 'json_each(:rows)';
  return {
    add: calls.sql<{ rows: string }>(
      ({ table, columns: { day, operation, keyId, account, calls: count } }) => {
        const key = `${day}, ${operation}, ${keyId}`;
        return `INSERT INTO ${table} (${key}, ${account}, ${count})
        SELECT CAST(value->>'day' AS BIGINT), value->>'operation', value->>'keyId', value->>'account', CAST(value->>'calls' AS BIGINT)
        FROM ${rows} WHERE TRUE
        ON CONFLICT (${key}) DO UPDATE SET ${count} = ${table}.${count} + excluded.${count}`;
      },
    ),
  };
}
