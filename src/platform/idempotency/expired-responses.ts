import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import type { Transaction } from '../../shared/unit-of-work.js';
import type { ExpiredRows, RemovedRows } from '../database/cleaner.js';
import { Database } from '../database/database.js';
import { FIRST_RESPONSE_LIFETIME_MS } from './idempotency.repository.js';

/**
 * Starts after the last row of the previous step, as PostgreSQL would otherwise read past the dead rows of all earlier
 * steps.
 */
const SOME = `SELECT api_key_id, idempotency_key FROM idempotency_records
  WHERE created_at BETWEEN $1 AND $2 ORDER BY created_at LIMIT $3`;
const STATEMENT = {
  sqlite: `DELETE FROM idempotency_records WHERE (api_key_id, idempotency_key) IN (${SOME})
    RETURNING created_at AS "createdAt"`,
  // Several servers may remove rows at the same time. Rows locked by another one are left to it.
  postgres: `WITH expired AS MATERIALIZED (${SOME} FOR UPDATE SKIP LOCKED)
    DELETE FROM idempotency_records AS record USING expired
    WHERE record.api_key_id = expired.api_key_id AND record.idempotency_key = expired.idempotency_key
    RETURNING record.created_at AS "createdAt"`,
} as const;

/** The first responses that have expired. */
@Injectable()
export class ExpiredResponses implements ExpiredRows {
  readonly table = 'idempotency_records';
  private from = 0n;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async removeSome(limit: number, transaction: Transaction): Promise<RemovedRows> {
    const newest = BigInt(this.clock.now() - FIRST_RESPONSE_LIFETIME_MS);
    const statement = STATEMENT[this.database.dialect];
    const removed = await this.database
      .session(transaction)
      .query<{ createdAt: bigint }>(statement, [this.from, newest, BigInt(limit)]);
    const isEnd = removed.length < limit;
    const last = removed.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), 0n);
    transaction.onCommit(() => (this.from = isEnd ? 0n : last));
    return { count: removed.length, isEnd };
  }
}
