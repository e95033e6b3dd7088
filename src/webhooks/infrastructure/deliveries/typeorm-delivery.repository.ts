import { Injectable } from '@nestjs/common';
import { Database, type ExpiredRows, expiredRows, type RecordNames } from '@animal-store/database';
import { type Clock, DAY_MS, type Page, type PageRequest, type Transaction } from '@animal-store/kernel';
import type { Delivery, NewDelivery } from '../../domain/delivery.js';
import { type DeliveryFilter, DeliveryRepository, type GivenUp } from '../../domain/delivery.repository.js';
import { DeliveryRecord } from './delivery.record.js';

/** On the embedded database every other write waits for a step. */
const GIVEN_UP_A_STEP = 200;
/** How long deliveries that have ended are shown. */
const SHOWN_MS = 7 * DAY_MS;

/** Deliveries in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmDeliveryRepository extends DeliveryRepository {
  private readonly statements: ReturnType<typeof deliveryStatements>;

  constructor(database: Database) {
    super();
    this.statements = deliveryStatements(database);
  }

  async add(delivery: NewDelivery, webhookId: bigint, transaction: Transaction): Promise<Delivery> {
    const id = await this.statements.insert.execute({ ...delivery, webhookId }, transaction);
    return { ...delivery, webhookId, id };
  }

  async addEach(
    delivery: NewDelivery,
    webhookIds: readonly bigint[],
    transaction: Transaction,
  ): Promise<void> {
    const { eventId, event, body, createdAtMs } = delivery;
    const rows = { webhookIds, eventId, event, body, atMs: BigInt(createdAtMs) };
    await this.statements.insertEach.getMany(rows, transaction);
  }

  listDue(webhookId: bigint, atMs: number, limit: number): Promise<readonly Delivery[]> {
    return this.statements.due.getMany({ webhookId, atMs, limit });
  }

  async nextDueAtMs(webhookId: bigint, transaction: Transaction): Promise<number | null> {
    return (await this.statements.nextDue.getOne({ webhookId }, transaction))?.nextTryAtMs ?? null;
  }

  async findById(webhookId: bigint, id: bigint, within?: Transaction): Promise<Delivery | null> {
    const delivery = await this.statements.byId.getOne({ id }, within);
    return delivery?.webhookId === webhookId ? delivery : null;
  }

  save(delivery: Delivery, transaction: Transaction): Promise<void> {
    return this.statements.save.execute(delivery, transaction);
  }

  begin(delivery: Delivery, transaction: Transaction): Promise<void> {
    return this.statements.begin.execute(delivery, transaction);
  }

  async giveUpSome(
    { webhookId, untilMs, problem, nowMs }: GivenUp,
    transaction: Transaction,
  ): Promise<boolean> {
    const step = {
      webhookId,
      until: BigInt(untilMs),
      problem,
      now: BigInt(nowMs),
      limit: BigInt(GIVEN_UP_A_STEP),
    };
    return (await this.statements.giveUp.getMany(step, transaction)).length === GIVEN_UP_A_STEP;
  }

  list(webhookId: bigint, { status }: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>> {
    return this.statements.list.getPage({ webhookId, status }, { direction: 'DESC', ...page });
  }
}

interface EachDelivery {
  readonly webhookIds: readonly bigint[];
  readonly eventId: string;
  readonly event: string;
  readonly body: string;
  readonly atMs: bigint;
}

type Due = Pick<Delivery, 'webhookId'> & { readonly atMs: number; readonly limit: number };
type GiveUp = Record<'webhookId' | 'until' | 'now' | 'limit', bigint> & { readonly problem: string };
type DueAt = Pick<Delivery, 'nextTryAtMs'>;

function deliveryStatements(database: Database) {
  const deliveries = database.statements(DeliveryRecord, 'delivery');
  const result = ['status', 'tries', 'nextTryAtMs', 'responseStatus', 'problem', 'endedAtMs'] as const;
  return {
    insert: deliveries.insert(),
    insertEach: deliveries.sql<EachDelivery, object>((names) => insertEachSql(names, database)),
    byId: deliveries.select<Pick<Delivery, 'id'>>((delivery) => delivery.where('delivery.id = :id')),
    save: deliveries.update(result, { equal: ['id', 'beganAtMs'] }),
    begin: deliveries.update([...result, 'beganAtMs'], { equal: ['id'] }),
    list: deliveries.list((row): Delivery => row, {
      equal: ['webhookId', 'status'],
      optional: ['status'],
      sorts: ['id'],
    }),
    due: deliveries.select<Due>(
      (delivery) =>
        delivery
          .where('delivery.webhookId = :webhookId AND delivery.nextTryAtMs <= :atMs')
          .orderBy('delivery.nextTryAtMs')
          .addOrderBy('delivery.id'),
      { limit: 'limit' },
    ),
    nextDue: deliveries.select<Pick<Delivery, 'webhookId'>, DueAt>((delivery) =>
      delivery
        .select('delivery.nextTryAtMs')
        .where('delivery.webhookId = :webhookId AND delivery.nextTryAtMs IS NOT NULL')
        .orderBy('delivery.nextTryAtMs')
        .limit(1),
    ),
    /** SQL text, because the query builder cannot limit an UPDATE. */
    giveUp: deliveries.sql<GiveUp, Pick<Delivery, 'id'>>(({ table, columns: c }) => {
      const these = `SELECT ${c.id} FROM ${table} WHERE ${c.webhookId} = :webhookId AND ${c.nextTryAtMs} IS NOT NULL
        AND ${c.beganAtMs} <= :until ORDER BY ${c.nextTryAtMs} LIMIT CAST(:limit AS bigint)`;
      const ids = database.dialect === 'postgres' ? `= ANY (ARRAY(${these}))` : `IN (${these})`;
      return `UPDATE ${table} SET ${c.status} = 'failed', ${c.nextTryAtMs} = NULL, ${c.problem} = :problem,
        ${c.endedAtMs} = :now WHERE ${c.id} ${ids} RETURNING ${c.id} AS "id"`;
    }),
  };
}

/** SQL text, because the query builder has no lists as tables: a row for each webhook that has none of the event. */
function insertEachSql({ table, columns: c }: RecordNames<DeliveryRecord>, { dialect }: Database): string {
  const each =
    dialect === 'postgres'
      ? 'unnest(CAST(:webhookIds AS bigint[])) AS given(value)'
      : 'json_each(:webhookIds) AS given';
  const instant = 'CAST(:atMs AS bigint)';
  return `INSERT INTO ${table} (${c.webhookId}, ${c.eventId}, ${c.event}, ${c.body}, ${c.status}, ${c.tries},
    ${c.nextTryAtMs}, ${c.createdAtMs}, ${c.beganAtMs})
    SELECT given.value, CAST(:eventId AS text), CAST(:event AS text), CAST(:body AS text), 'pending', 0,
    ${instant}, ${instant}, ${instant} FROM ${each} WHERE TRUE
    ON CONFLICT (${c.eventId}, ${c.webhookId}) DO NOTHING`;
}

/** Deliveries that have ended too long ago to be shown, in that order. */
export function endedDeliveries(
  database: Database,
  clock: Clock,
): ExpiredRows<Pick<DeliveryRecord, 'endedAtMs'>> {
  return expiredRows(database, DeliveryRecord, {
    key: ['id'],
    beginning: { endedAtMs: 0 },
    where: ({ endedAtMs }) => `${endedAtMs} <= :newest`,
    args: () => ({ newest: BigInt(clock.now() - SHOWN_MS) }),
  });
}
