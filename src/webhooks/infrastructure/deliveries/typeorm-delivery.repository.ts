import { Injectable } from '@nestjs/common';
import { Database, type RecordNames } from '@animal-store/database';
import { Every, Job, REMOVAL, RemoveExpired } from '@animal-store/jobs';
import { Clock, DAY_MS, type Page, type PageRequest, type Transaction } from '@animal-store/kernel';
import { type Delivery, RANKS, requested } from '../../domain/delivery.js';
import {
  type DeliveryFilter,
  DeliveryRepository,
  type Abandoned,
  type NewDeliveries,
} from '../../domain/delivery.repository.js';
import type { NewEvent } from '../../domain/event.js';
import { EventRecord } from '../events/event.record.js';
import { DeliveryRecord } from './delivery.record.js';

/** On SQLite every other write waits for a step. */
const GIVEN_UP_A_STEP = 200;
/** How long deliveries that have ended are shown. */
const SHOWN_MS = 7 * DAY_MS;
const ALL_RANKS = Object.values(RANKS);

/** Deliveries in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmDeliveryRepository extends DeliveryRepository {
  private readonly statements: ReturnType<typeof deliveryStatements>;

  constructor(database: Database) {
    super();
    this.statements = deliveryStatements(database);
  }

  addEach(deliveries: NewDeliveries, transaction: Transaction): Promise<void> {
    return this.statements.insertEach.execute(deliveries, transaction);
  }

  async addTest(webhookId: bigint, test: NewEvent, transaction: Transaction): Promise<Delivery> {
    const { insert, insertEvent } = this.statements;
    const eventId = await insertEvent.execute(test, transaction);
    const delivery = requested(webhookId, test.createdAtMs);
    const id = await insert.execute({ ...delivery, eventId }, transaction);
    return { id, ...delivery, event: { id: eventId, ...test } };
  }

  async listDue(
    webhookId: bigint,
    atMs: number,
    limit: number,
    maxRank: number,
  ): Promise<readonly Delivery[]> {
    const due: DeliveryRecord[] = [];
    for (const rank of ALL_RANKS)
      if (rank <= maxRank && due.length < limit)
        due.push(
          ...(await this.statements.due.getMany({ webhookId, rank, atMs, limit: limit - due.length })),
        );
    return this.withEvents(due);
  }

  async nextDue(webhookId: bigint, within: Transaction) {
    const due = await this.statements.nextDue.getMany({ webhookId }, within);
    return due.map(({ rank, nextAttemptAtMs }) => ({ rank, atMs: nextAttemptAtMs! }));
  }

  async findById(webhookId: bigint, id: bigint, within?: Transaction): Promise<Delivery | null> {
    const delivery = await this.statements.byId.getOne({ id }, within);
    if (delivery?.webhookId !== webhookId) return null;
    return (await this.withEvents([delivery], within))[0]!;
  }

  save(delivery: Delivery, transaction: Transaction): Promise<void> {
    return this.statements.save.execute(delivery, transaction);
  }

  begin(delivery: Delivery, transaction: Transaction): Promise<void> {
    return this.statements.begin.execute(delivery, transaction);
  }

  async abandonSome(these: Abandoned, transaction: Transaction) {
    return (await this.statements.abandon.getMany(these, transaction)).length;
  }

  async list(webhookId: bigint, { status }: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>> {
    const filter = { webhookId, status };
    const { items, next } = await this.statements.list.getPage(filter, { direction: 'DESC', ...page });
    return { items: await this.withEvents(items), next };
  }

  /** An event outlives its deliveries. */
  private async withEvents(
    deliveries: readonly Readonly<DeliveryRecord>[],
    within?: Transaction,
  ): Promise<Delivery[]> {
    if (deliveries.length === 0) return [];
    const ids = [...new Set(deliveries.map(({ eventId }) => eventId))];
    const found = await this.statements.eventsByIds.getMany({ ids }, within);
    const events = new Map(found.map((event) => [event.id, event]));
    return deliveries.map(({ eventId, ...delivery }) => ({ ...delivery, event: events.get(eventId)! }));
  }
}

type Due = Pick<Delivery, 'webhookId' | 'rank'> & { readonly atMs: number; readonly limit: number };
type NextDue = Pick<DeliveryRecord, 'rank' | 'nextAttemptAtMs'>;

function deliveryStatements(database: Database) {
  const deliveries = database.statements(DeliveryRecord, 'delivery');
  const events = database.statements(EventRecord, 'event');
  const result = [
    'rank',
    'status',
    'attempts',
    'nextAttemptAtMs',
    'responseStatus',
    'problem',
    'endedAtMs',
  ] as const;
  return {
    insertEvent: events.insert(),
    eventsByIds: events.select<{ ids: readonly bigint[] }>((event) => event.where('event.id IN (:...ids)')),
    insert: deliveries.insert(),
    insertEach: deliveries.write<NewDeliveries>((names) => insertEachSql(names, database)),
    byId: deliveries.find({ equal: ['id'] }),
    save: deliveries.update(result, { equal: ['id', 'startedAtMs'] }),
    begin: deliveries.update([...result, 'startedAtMs'], { equal: ['id'] }),
    list: deliveries.list((row): DeliveryRecord => row, {
      equal: ['webhookId', 'status'],
      optional: ['status'],
      sorts: ['id'],
    }),
    due: deliveries.select<Due>(
      (delivery) =>
        delivery
          .where('delivery.webhookId = :webhookId AND delivery.rank = :rank')
          .andWhere('delivery.nextAttemptAtMs <= :atMs')
          .orderBy('delivery.nextAttemptAtMs')
          .addOrderBy('delivery.id'),
      { limit: 'limit' },
    ),
    /** SQL text, because the query builder cannot unite several selects. */
    nextDue: deliveries.sql<Pick<Delivery, 'webhookId'>, NextDue>(({ table, columns: c }) =>
      ALL_RANKS.map(
        (
          rank,
        ) => `SELECT * FROM (SELECT ${c.rank} AS "rank", ${c.nextAttemptAtMs} AS "nextAttemptAtMs" FROM ${table}
          WHERE ${c.webhookId} = :webhookId AND ${c.rank} = ${rank} AND ${c.nextAttemptAtMs} IS NOT NULL
          ORDER BY ${c.nextAttemptAtMs} LIMIT 1) AS of_rank_${rank}`,
      ).join(' UNION ALL '),
    ),
    /** SQL text, because the query builder cannot limit an UPDATE. */
    abandon: deliveries.sql<Abandoned, Pick<Delivery, 'id'>>(({ table, columns: c }) => {
      const these = `SELECT ${c.id} FROM ${table} WHERE ${c.webhookId} = :webhookId AND ${c.status} = 'pending'
        AND ${c.startedAtMs} <= :untilMs ORDER BY ${c.id} LIMIT ${GIVEN_UP_A_STEP}`;
      const ids = database.dialect === 'postgres' ? `= ANY (ARRAY(${these}))` : `IN (${these})`;
      return `UPDATE ${table} SET ${c.status} = 'failed', ${c.nextAttemptAtMs} = NULL, ${c.problem} = :problem,
        ${c.endedAtMs} = :nowMs WHERE ${c.id} ${ids} RETURNING ${c.id} AS "id"`;
    }),
  };
}

/** SQL text, because the query builder has no lists as tables: a row for each event and each webhook. */
function insertEachSql({ table, columns: c }: RecordNames<DeliveryRecord>, { dialect }: Database): string {
  const each =
    dialect === 'postgres'
      ? `unnest(CAST(:eventIds AS bigint[])) AS event(value)
          CROSS JOIN unnest(CAST(:webhookIds AS bigint[])) AS webhook(value)`
      : 'json_each(:eventIds) AS event CROSS JOIN json_each(:webhookIds) AS webhook';
  const instant = 'CAST(:atMs AS bigint)';
  return `INSERT INTO ${table} (${c.webhookId}, ${c.eventId}, ${c.rank}, ${c.status}, ${c.attempts},
    ${c.nextAttemptAtMs}, ${c.startedAtMs})
    SELECT webhook.value, event.value, CAST(:rank AS integer), 'pending', 0, ${instant}, ${instant} FROM ${each}`;
}

/** Deliveries that have ended too long ago to be shown, in that order. */
@Job('webhooks.remove-ended', REMOVAL)
@Every('10m')
export class RemoveEndedDeliveries extends RemoveExpired<DeliveryRecord, 'endedAtMs'> {
  constructor(database: Database, clock: Clock) {
    super(database, DeliveryRecord, {
      beginning: { endedAtMs: 0 },
      where: ({ endedAtMs }) => `${endedAtMs} <= :newest`,
      args: () => ({ newest: BigInt(clock.now() - SHOWN_MS) }),
    });
  }
}
