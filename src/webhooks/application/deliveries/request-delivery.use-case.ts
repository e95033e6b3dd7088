import { Injectable } from '@nestjs/common';
import { Clock, Outbox, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { DeliveriesDue, type Delivery, RANKS, retried } from '../../domain/delivery.js';
import { DeliveryRepository } from '../../domain/delivery.repository.js';
import { newEvent, TEST_EVENT } from '../../domain/event.js';
import { EventRepository } from '../../domain/event.repository.js';
import { DeliveryNotFound, WebhookNotFound } from '../../domain/webhook.errors.js';
import { WebhookRandom } from '../../domain/webhook-random.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import type { Webhook } from '../../domain/webhook.js';
import { GetWebhook } from '../subscriptions/get-webhook.use-case.js';
import { type Actor, WebhookRights } from '../subscriptions/webhook-rights.js';

/** Sends what somebody asks for: a delivery again, whatever became of it, or a test, so that an account sees whether it arrives. */
@Injectable()
export class RequestDelivery {
  constructor(
    private readonly getWebhook: GetWebhook,
    private readonly webhooks: WebhookRepository,
    private readonly events: EventRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly rights: WebhookRights,
    private readonly random: WebhookRandom,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @param requested the id of the delivery to send again, or who asks for a test
   * @throws WebhookNotFound when the account has no webhook with this id.
   * @throws DeliveryNotFound when that has no delivery with this id.
   */
  async execute(account: string, webhookId: bigint, requested: bigint | Actor): Promise<Delivery> {
    const found = await this.getWebhook.execute(account, webhookId);
    const kept =
      typeof requested === 'bigint'
        ? {}
        : { createdBy: await this.rights.creatorAfterTest(found, requested) };
    return this.unitOfWork.run(async (transaction) => {
      let delivery: Delivery;
      const begin = async (webhook: Webhook): Promise<Webhook> => {
        const isRetry = typeof requested === 'bigint';
        const before = isRetry ? await this.deliveries.findById(webhookId, requested, transaction) : null;
        if (isRetry && before === null) throw new DeliveryNotFound(requested);
        delivery = await (before ? this.retry(before, transaction) : this.test(webhook, transaction));
        return { ...webhook, ...kept, pending: webhook.pending + (before?.status === 'pending' ? 0 : 1) };
      };
      const webhook = await this.webhooks.change(account, webhookId, begin, transaction);
      if (!webhook) throw new WebhookNotFound(webhookId);
      await this.outbox.add(new DeliveriesDue([webhookId]), transaction);
      return delivery!;
    });
  }

  /** Adds a test to a locked webhook, whose number of pending deliveries the caller changes. */
  async test({ id, account }: Pick<Webhook, 'id' | 'account'>, transaction: Transaction): Promise<Delivery> {
    const atMs = this.clock.now();
    const facts = { eventId: this.random.eventId(), audience: account, data: '{}', atMs };
    const test = { ...newEvent({ name: TEST_EVENT, version: 1 }, facts), toldUpTo: null };
    const event = await this.events.add(test, transaction);
    const delivery = { eventIds: [event.id], webhookIds: [id], rank: RANKS.requested, atMs };
    await this.deliveries.addEach(delivery, transaction);
    return (await this.deliveries.findNewest(id, transaction))!;
  }

  private async retry(before: Delivery, transaction: Transaction): Promise<Delivery> {
    const begun = retried(before, this.clock.now());
    await this.deliveries.begin(begun, transaction);
    return begun;
  }
}
