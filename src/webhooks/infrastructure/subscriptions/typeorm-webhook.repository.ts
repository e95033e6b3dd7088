import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Database } from '@animal-store/database';
import { DAY_MS, type Page, type PageRequest, type Transaction } from '@animal-store/kernel';
import { EventTypes } from '../../domain/event.js';
import type { NewWebhook, Webhook } from '../../domain/webhook.js';
import { type EventInterest, type Subscriber, WebhookRepository } from '../../domain/webhook.repository.js';
import { EventInterestRecord } from './event-interest.record.js';
import { WebhookSubscriptionRecord } from './webhook-subscription.record.js';
import { WebhookRecord } from './webhook.record.js';

const SUBSCRIBERS_A_STEP = 100;

/** Webhooks in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmWebhookRepository extends WebhookRepository {
  private readonly statements: ReturnType<typeof webhookStatements>;

  constructor(
    private readonly database: Database,
    private readonly types: EventTypes,
  ) {
    super();
    this.statements = webhookStatements(database);
  }

  async add(webhook: NewWebhook, max: number, transaction: Transaction): Promise<Webhook | null> {
    const { interestChanges, insert } = this.statements;
    await interestChanges.lockTurn(transaction);
    const { account } = webhook;
    if ((await this.database.entityManager(transaction).countBy(WebhookRecord, { account })) >= max)
      return null;
    const added = { ...webhook, id: await insert.execute(webhook, transaction) };
    await this.countInterests(added, 1, added.createdAtMs, transaction);
    return added;
  }

  lock(account: string, id: bigint, transaction: Transaction): Promise<Webhook | null> {
    return this.statements.byIdLocked.getOne({ account, id }, transaction);
  }

  save(webhook: Webhook, transaction: Transaction): Promise<void> {
    return this.statements.update.execute(webhook, transaction);
  }

  async lockSubscribers(
    { type: event, audience }: { readonly type: string; readonly audience: string },
    after: bigint,
    transaction: Transaction,
  ) {
    const page = { event, audience, after, limit: SUBSCRIBERS_A_STEP };
    const found = await this.statements.subscribers.getMany(page, transaction);
    const ids = found.map(({ webhookId }) => webhookId);
    const webhooks =
      ids.length === 0 ? [] : await this.statements.enabledLocked.getMany({ ids }, transaction);
    return { webhooks, after: ids.length < SUBSCRIBERS_A_STEP ? null : ids.at(-1)! };
  }

  addPending(ids: readonly bigint[], count: number, transaction: Transaction): Promise<void> {
    return this.statements.addPending.execute({ ids, count }, transaction);
  }

  async remove(account: string, id: bigint, atMs: number, transaction: Transaction): Promise<boolean> {
    const webhook = await this.lock(account, id, transaction);
    if (!webhook) return false;
    await this.database.entityManager(transaction).delete(WebhookRecord, { id });
    await this.countInterests(webhook, -1, atMs, transaction);
    return true;
  }

  find(id: bigint): Promise<Webhook | null> {
    return this.statements.byId.getOne({ id });
  }

  list(account: string, page: PageRequest): Promise<Page<Webhook>> {
    return this.statements.list.getPage({ account }, page);
  }

  changedInterests(afterMs: number, limit: number): Promise<readonly EventInterest[]> {
    return this.statements.knownInterests.after(afterMs, limit);
  }

  /** Subscribes a new webhook to its events, or ends that. */
  private async countInterests(
    { id: webhookId, account, events }: Webhook,
    change: 1 | -1,
    atMs: number,
    transaction: Transaction,
  ): Promise<void> {
    const { interestChanges, countInterest } = this.statements;
    const manager = this.database.entityManager(transaction);
    if (change === -1) await manager.delete(WebhookSubscriptionRecord, { webhookId });
    // Here, as only these changes make the table grow.
    await manager.delete(EventInterestRecord, { webhooks: 0, changedAtMs: LessThan(atMs - DAY_MS) });
    for (const event of events) {
      const audience = this.types.audienceFor(event, account);
      const changedAtMs = await interestChanges.nextMs(atMs, transaction);
      await countInterest.execute({ event, audience, change, changedAtMs: BigInt(changedAtMs) }, transaction);
      if (change === 1) await manager.insert(WebhookSubscriptionRecord, { event, audience, webhookId });
    }
  }
}

type InterestChange = Pick<EventInterestRecord, 'event' | 'audience'> & {
  readonly change: number;
  readonly changedAtMs: bigint;
};
type Subscribers = Pick<WebhookSubscriptionRecord, 'event' | 'audience'> & { after: bigint; limit: number };

function webhookStatements(database: Database) {
  const webhooks = database.statements(WebhookRecord, 'webhook');
  const subscriptions = database.statements(WebhookSubscriptionRecord, 'subscription');
  const interests = database.statements(EventInterestRecord, 'interest');
  return {
    interestChanges: interests.changes(),
    knownInterests: database.background.statements(EventInterestRecord, 'interest').changes(),
    /** SQL text, because the query builder cannot add to what there is. */
    countInterest: interests.write<InterestChange>(({ table, columns: c }) => {
      const row = `CAST(:change AS integer), CAST(:changedAtMs AS bigint)`;
      return `INSERT INTO ${table} (${c.event}, ${c.audience}, ${c.webhooks}, ${c.changedAtMs})
        VALUES (:event, :audience, ${row}) ON CONFLICT (${c.event}, ${c.audience}) DO UPDATE
        SET ${c.webhooks} = ${table}.${c.webhooks} + excluded.${c.webhooks}, ${c.changedAtMs} = excluded.${c.changedAtMs}`;
    }),
    insert: webhooks.insert(),
    byIdLocked: webhooks.find({ equal: ['account', 'id'], lock: true }),
    byId: webhooks.find({ equal: ['id'] }),
    update: webhooks.update(
      [
        'account',
        'createdBy',
        'ownerKey',
        'secrets',
        'status',
        'pending',
        'pausedUntilMs',
        'failures',
        'failingSinceMs',
        'refusedSinceMs',
        'disabledAtMs',
        'disabledReason',
      ],
      { equal: ['id'] },
    ),
    /**
     * In the order of their ids, so that two transactions that lock the same ones do not deadlock. Without those that
     * are pending, disabled, or deleted since they were read.
     */
    enabledLocked: webhooks.select<{ ids: readonly bigint[] }, Subscriber>((webhook) =>
      webhook
        .select(['webhook.id', 'webhook.account', 'webhook.pending', 'webhook.pausedUntilMs'])
        .where("webhook.id IN (:...ids) AND webhook.status = 'enabled'")
        .orderBy('webhook.id')
        .setLock('pessimistic_write'),
    ),
    /** SQL text, because the query builder cannot add to what there is. */
    addPending: webhooks.write<{ ids: readonly bigint[]; count: number }>(
      ({ table, columns: { id, pending } }) =>
        `UPDATE ${table} SET ${pending} = ${pending} + CAST(:count AS integer) WHERE ${id} IN (:...ids)`,
    ),
    subscribers: subscriptions.select<Subscribers, Pick<WebhookSubscriptionRecord, 'webhookId'>>(
      (subscription) =>
        subscription
          .select('subscription.webhookId')
          .where('subscription.event = :event AND subscription.audience = :audience')
          .andWhere('subscription.webhookId > :after')
          .orderBy('subscription.webhookId'),
      { limit: 'limit' },
    ),
    list: webhooks.list((row): Webhook => row, { equal: ['account'] }),
  };
}
