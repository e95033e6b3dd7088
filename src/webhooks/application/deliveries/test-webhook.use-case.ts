import { Injectable } from '@nestjs/common';
import { Clock, Outbox, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { DeliveriesDue, type Delivery, RANKS } from '../../domain/delivery.js';
import { DeliveryRepository } from '../../domain/delivery.repository.js';
import { newEvent, TEST_EVENT } from '../../domain/event.js';
import { EventRepository } from '../../domain/event.repository.js';
import { WebhookNotFound } from '../../domain/webhook.errors.js';
import { WebhookRandom } from '../../domain/webhook-random.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import type { Webhook } from '../../domain/webhook.js';
import { type Actor, WebhookRights } from '../subscriptions/webhook-rights.js';

/** Sends an event without a meaning, so that an account sees whether it arrives. */
@Injectable()
export class TestWebhook {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly events: EventRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly rights: WebhookRights,
    private readonly random: WebhookRandom,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /** @throws WebhookNotFound when the account has no webhook with this id. */
  async execute(account: string, webhookId: bigint, actor: Actor): Promise<Delivery> {
    const found = await this.webhooks.findById(account, webhookId);
    if (!found) throw new WebhookNotFound(webhookId);
    const createdBy = await this.rights.keptBy(found, actor);
    return this.unitOfWork.run(async (transaction) => {
      let test: Delivery;
      const begin = async (webhook: Webhook): Promise<Webhook> => {
        test = await this.begin(webhook, transaction);
        return { ...webhook, createdBy, pending: webhook.pending + 1 };
      };
      const webhook = await this.webhooks.change(account, webhookId, begin, transaction);
      if (!webhook) throw new WebhookNotFound(webhookId);
      return test!;
    });
  }

  /** Sends one to a locked webhook, whose number of pending deliveries the caller changes. */
  async begin({ id, account }: Pick<Webhook, 'id' | 'account'>, transaction: Transaction): Promise<Delivery> {
    const atMs = this.clock.now();
    const facts = { eventId: this.random.eventId(), audience: account, data: '{}', atMs };
    const test = { ...newEvent({ name: TEST_EVENT, version: 1 }, facts), toldUpTo: null };
    const event = await this.events.add(test, transaction);
    const delivery = { eventIds: [event.id], webhookIds: [id], rank: RANKS.requested, atMs };
    await this.deliveries.addEach(delivery, transaction);
    await this.outbox.add(new DeliveriesDue([id]), transaction);
    return (await this.deliveries.findNewest(id, transaction))!;
  }
}
