import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Database, RepositoryOf } from '@animal-store/database';
import { DAY_MS, type Transaction } from '@animal-store/kernel';
import { EventTypes } from '../../domain/event.js';
import type { NewWebhook, Webhook } from '../../domain/webhook.js';
import type { EventInterest, Subscriber, WebhookRepository } from '../../domain/webhook.repository.js';
import { EventInterestRecord, WebhookRecord, WebhookSubscriptionRecord } from './webhook.record.js';

const SUBSCRIBERS_A_STEP = 100;

const Rows = RepositoryOf(WebhookRecord, 'webhook', {
  key: ['account', 'id'],
  changes: [
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
  list: { equal: ['account'] },
});

/** Webhooks in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmWebhookRepository extends Rows implements WebhookRepository {
  private readonly more: ReturnType<typeof webhookStatements>;

  constructor(
    private readonly storage: Database,
    private readonly types: EventTypes,
  ) {
    super(storage);
    this.more = webhookStatements(storage);
  }

  async subscribe(webhook: NewWebhook, max: number, transaction: Transaction): Promise<Webhook | null> {
    await this.more.interestChanges.lockTurn(transaction);
    const { account } = webhook;
    if ((await this.storage.entityManager(transaction).countBy(WebhookRecord, { account })) >= max)
      return null;
    const added = await this.add(webhook, transaction);
    await this.countInterests(added, 1, added.createdAtMs, transaction);
    return added;
  }

  async unsubscribe(webhook: Webhook, atMs: number, transaction: Transaction): Promise<void> {
    const { account, id } = webhook;
    await this.remove({ account, id }, transaction);
    await this.countInterests(webhook, -1, atMs, transaction);
  }

  async lockSubscribers(
    { type: event, audience }: { readonly type: string; readonly audience: string },
    after: bigint,
    transaction: Transaction,
  ) {
    const page = { event, audience, after, limit: SUBSCRIBERS_A_STEP };
    const found = await this.more.subscribers.getMany(page, transaction);
    const ids = found.map(({ webhookId }) => webhookId);
    const webhooks = ids.length === 0 ? [] : await this.more.enabledLocked.getMany({ ids }, transaction);
    return { webhooks, after: ids.length < SUBSCRIBERS_A_STEP ? null : ids.at(-1)! };
  }

  addPending(ids: readonly bigint[], count: number, transaction: Transaction): Promise<void> {
    return this.more.addPending.execute({ ids, count }, transaction);
  }

  find(id: bigint): Promise<Webhook | null> {
    return this.more.byId.getOne({ id });
  }

  changedInterests(afterMs: number, limit: number): Promise<readonly EventInterest[]> {
    return this.more.knownInterests.after(afterMs, limit);
  }

  /** Subscribes a new webhook to its events, or ends that. */
  private async countInterests(
    { id: webhookId, account, events }: Webhook,
    change: 1 | -1,
    atMs: number,
    transaction: Transaction,
  ): Promise<void> {
    const { interestChanges, countInterest } = this.more;
    const firstMs = await interestChanges.nextMs(atMs, transaction);
    const manager = this.storage.entityManager(transaction);
    if (change === -1) await manager.delete(WebhookSubscriptionRecord, { webhookId });
    // Here, as only these changes make the table grow.
    await manager.delete(EventInterestRecord, { webhooks: 0, changedAtMs: LessThan(atMs - DAY_MS) });
    for (const [index, event] of events.entries()) {
      const audience = this.types.audienceFor(event, account);
      const changedAtMs = firstMs + index;
      await countInterest.execute({ event, audience, change, changedAtMs }, transaction);
      if (change === 1) await manager.insert(WebhookSubscriptionRecord, { event, audience, webhookId });
    }
  }
}

type InterestChange = Omit<EventInterestRecord, 'webhooks'> & { readonly change: number };
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
    byId: webhooks.find({ equal: ['id'] }),
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
  };
}
