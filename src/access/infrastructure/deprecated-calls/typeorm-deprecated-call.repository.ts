import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
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
  private readonly statements: ReturnType<typeof callStatements>;

  constructor(private readonly database: Database) {
    super();
    this.statements = callStatements(database);
  }

  async add(calls: readonly DeprecatedCalls[]): Promise<void> {
    // In one order everywhere, as other servers add to the same rows.
    const rows = JSON.stringify(calls.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)));
    await this.database.run((transaction) => this.statements.add.getMany({ rows }, transaction));
  }

  async callersSince(day: number, limit: number): Promise<readonly DeprecatedCalls[]> {
    return (await this.statements.callersSince.getMany({ day, limit })).map(toCalls);
  }

  async ofAccount(account: string, day: number): Promise<readonly DeprecatedCalls[]> {
    return (await this.statements.ofAccount.getMany({ account, day })).map(toCalls);
  }
}

/** The calls of days that are not stored any more. */
@Job('deprecated-calls.remove-expired', REMOVAL)
@Every('10m')
export class RemoveExpiredCalls extends RemoveExpired<DeprecatedCallsRecord, 'day'> {
  constructor(database: Database, clock: Clock) {
    super(database, DeprecatedCallsRecord, {
      key: ['day', 'operation', 'keyId'],
      beginning: { day: 0 },
      where: ({ day }) => `${day} < :before`,
      args: () => ({ before: firstStoredDay(clock.now()) }),
    });
  }
}

type Sum = Record<'day' | 'calls', bigint> &
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
  const sums = calls.except('A sum reads all that it adds up.');
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
    callersSince: sums.select<{ day: number; limit: number }, Sum>((called) => summedUp(called), {
      limit: 'limit',
    }),
    ofAccount: sums.select<{ account: string; day: number }, Sum>((called) =>
      summedUp(called).andWhere('called.account = :account'),
    ),
  };
}

/** Who called what from a day on, the most calls first. */
function summedUp<Query extends SelectQueryBuilder<DeprecatedCallsRecord>>(called: Query): Query {
  return called
    .select('called.operation', 'operation')
    .addSelect('called.keyId', 'keyId')
    .addSelect('called.account', 'account')
    .addSelect('MAX(called.day)', 'day')
    .addSelect('CAST(SUM(called.calls) AS bigint)', 'calls')
    .where('called.day >= :day')
    .groupBy('called.operation')
    .addGroupBy('called.keyId')
    .addGroupBy('called.account')
    .orderBy('SUM(called.calls)', 'DESC')
    .addOrderBy('called.operation')
    .addOrderBy('called.keyId');
}
