import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from '@animal-store/database';
import { Every, Job, REMOVAL, RemoveExpired } from '@animal-store/jobs';
import { Clock, DAY_MS, type Page, type PageRequest, type Transaction } from '@animal-store/kernel';
import { EVERYBODY, type NewEvent, type OpenEvent, type StoredEvent } from '../../domain/event.js';
import { type EventFilter, EventRepository } from '../../domain/event.repository.js';
import { EventRecord } from './event.record.js';

/** How long events can be read. */
const SHOWN_MS = 30 * DAY_MS;

/** Events in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmEventRepository extends EventRepository {
  private readonly statements: ReturnType<typeof eventStatements>;

  constructor(database: Database) {
    super();
    this.statements = eventStatements(database);
  }

  add(event: NewEvent, transaction: Transaction): Promise<void> {
    return this.statements.insert.execute(event, transaction);
  }

  async openAudiences(after: string, limit: number): Promise<readonly string[]> {
    const found = await this.statements.openAudiences.getMany({ after, limit });
    return found.map(({ audience }) => audience);
  }

  lockOpen(audience: string, limit: number, transaction: Transaction): Promise<readonly OpenEvent[]> {
    return this.statements.lockOpen.getMany({ audience, limit }, transaction);
  }

  advance(ids: readonly bigint[], fannedOutUpTo: bigint | null, transaction: Transaction): Promise<void> {
    return this.statements.advance.execute({ ids, fannedOutUpTo }, transaction);
  }

  find(eventId: string): Promise<StoredEvent | null> {
    return this.statements.byEventId.getOne({ eventId });
  }

  /** Each type by itself, by its index: there are few. */
  async list({ types, untilMs }: EventFilter, { limit, after }: PageRequest): Promise<Page<StoredEvent>> {
    const pages = await Promise.all(
      types.map(({ name: type, audience }) =>
        this.statements.list.getPage({ type, audience, until: untilMs }, { limit, after }),
      ),
    );
    const found = pages.flatMap(({ items }) => items).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const items = found.slice(0, limit);
    const hasMore = found.length > limit || pages.some(({ next }) => next !== null);
    return { items, next: hasMore ? { id: items.at(-1)!.id } : null };
  }
}

type Settled = (events: SelectQueryBuilder<EventRecord>, args: { readonly until: number }) => typeof events;

const isSettled: Settled = (event) => event.andWhere('event.createdAtMs <= :until');

function eventStatements(database: Database) {
  const events = database.statements(EventRecord, 'event');
  const isPostgres = database.dialect === 'postgres';
  return {
    /** Without its id, which PostgreSQL would have to generate before the transaction of many units ends. */
    insert: events.insertWithId([
      'eventId',
      'type',
      'audience',
      'body',
      'createdAtMs',
      'fannedOutUpTo',
      'cause',
    ]),
    byEventId: events.find({ equal: ['eventId'] }),
    list: events.list((row): StoredEvent => row, { equal: ['audience', 'type'] }, isSettled),
    /** SQL text, because the query builder cannot walk along an index: each step jumps to the next account. */
    openAudiences: events.sql<{ after: string; limit: number }, Pick<EventRecord, 'audience'>>(
      ({ table, columns: c }) => {
        const next = (after: string) =>
          `(SELECT ${c.audience} FROM ${table} WHERE ${c.fannedOutUpTo} IS NOT NULL AND ${c.audience} > ${after}
            ORDER BY ${c.audience} LIMIT 1)`;
        return `WITH RECURSIVE walk(audience, step) AS (SELECT ${next(':after')}, 1
          UNION ALL SELECT ${next('walk.audience')}, step + 1 FROM walk WHERE walk.audience IS NOT NULL AND step < :limit)
          SELECT walk.audience AS "audience" FROM walk WHERE walk.audience IS NOT NULL
          UNION ALL SELECT '${EVERYBODY}' WHERE EXISTS
          (SELECT 1 FROM ${table} WHERE ${c.fannedOutUpTo} IS NOT NULL AND ${c.audience} = '${EVERYBODY}')`;
      },
    ),
    /** SQL text, because the query builder cannot leave out what others have locked. */
    lockOpen: events.sql<{ audience: string; limit: number }, OpenEvent>(
      ({
        table,
        columns: c,
      }) => `SELECT ${c.id} AS "id", ${c.type} AS "type", ${c.fannedOutUpTo} AS "fannedOutUpTo" FROM ${table}
        WHERE ${c.audience} = :audience AND ${c.fannedOutUpTo} IS NOT NULL
        ORDER BY ${c.id} LIMIT CAST(:limit AS bigint) ${isPostgres ? 'FOR UPDATE SKIP LOCKED' : ''}`,
    ),
    /** SQL text, because the query builder changes one row at a time. */
    advance: events.write<{ ids: readonly bigint[]; fannedOutUpTo: bigint | null }>(
      ({ table, columns: c }) =>
        `UPDATE ${table} SET ${c.fannedOutUpTo} = CAST(:fannedOutUpTo AS bigint) WHERE ${c.id} IN (:...ids)`,
    ),
  };
}

/** Events that are too old to be shown, in that order. */
@Job('events.remove-old', REMOVAL)
@Every('10m')
export class RemoveOldEvents extends RemoveExpired<EventRecord, 'createdAtMs'> {
  constructor(database: Database, clock: Clock) {
    super(database, EventRecord, {
      beginning: { createdAtMs: 0 },
      where: ({ createdAtMs }) => `${createdAtMs} <= :newest`,
      args: () => ({ newest: BigInt(clock.now() - SHOWN_MS) }),
    });
  }
}
