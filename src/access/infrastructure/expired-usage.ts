import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import type { ExpiredRows, RemovedRows } from '../../database/cleaner.js';
import { Database } from '../../database/database.js';
import { Clock } from '../../shared/clock.js';
import type { Transaction } from '../../shared/unit-of-work.js';
import { oldestUsage } from './oldest-usage.js';

interface Place {
  readonly day: bigint;
  readonly subject: string;
}

const BEGINNING: Place = { day: -1n, subject: '' };

/** Rows of ended days, those too whose ban is still remembered, so that a step looks at no more than its limit. */
const SOME = `SELECT day, subject FROM rate_limit_usage
  WHERE day < $1 AND (day, subject) > ($2, $3) ORDER BY day, subject LIMIT $4`;
const REMOVE = `DELETE FROM rate_limit_usage
  WHERE day < $1 AND (day, subject) > ($2, $3) AND (day, subject) <= ($4, $5) AND ban_until < $6 RETURNING subject`;

/** Counts of days that are over, and bans that lengthen no other one any more. */
@Injectable()
export class ExpiredUsage implements ExpiredRows {
  readonly table = 'rate_limit_usage';
  private from = BEGINNING;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  async removeSome(limit: number, transaction: Transaction): Promise<RemovedRows> {
    const { from } = this;
    const session = this.database.session(transaction);
    const oldest = oldestUsage(this.clock.now(), this.settings);
    const some = await session.query<Place>(SOME, [oldest.day, from.day, from.subject, BigInt(limit)]);
    const isEnd = some.length < limit;
    const last = some.at(-1) ?? BEGINNING;
    transaction.onCommit(() => (this.from = isEnd ? BEGINNING : last));
    const removed = await session.query(REMOVE, [
      oldest.day,
      from.day,
      from.subject,
      last.day,
      last.subject,
      oldest.banUntilMs,
    ]);
    return { count: removed.length, isEnd };
  }
}
