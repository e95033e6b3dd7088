import { Injectable } from '@nestjs/common';
import { Clock, Outbox, UnitOfWork } from '@animal-store/kernel';
import { DeliveriesDue, type Delivery, retried } from '../../domain/delivery.js';
import { DeliveryRepository } from '../../domain/delivery.repository.js';
import { DeliveryNotFound, WebhookNotFound } from '../../domain/webhook.errors.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import type { Webhook } from '../../domain/webhook.js';

/** Sends an event again: one that has failed, that waits for its next attempt, or that has arrived and was lost there. */
@Injectable()
export class RetryDelivery {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @throws WebhookNotFound when the account has no webhook with this id.
   * @throws DeliveryNotFound when that has no delivery with this id.
   */
  execute(account: string, webhookId: bigint, id: bigint): Promise<Delivery> {
    return this.unitOfWork.run(async (transaction) => {
      let begun: Delivery;
      const begin = async (webhook: Webhook): Promise<Webhook> => {
        const delivery = await this.deliveries.findById(webhookId, id, transaction);
        if (!delivery) throw new DeliveryNotFound(id);
        begun = retried(delivery, this.clock.now());
        await this.deliveries.begin(begun, transaction);
        return { ...webhook, pending: webhook.pending + (delivery.status === 'pending' ? 0 : 1) };
      };
      const webhook = await this.webhooks.change(account, webhookId, begin, transaction);
      if (!webhook) throw new WebhookNotFound(webhookId);
      await this.outbox.add(new DeliveriesDue([webhookId]), transaction);
      return begun!;
    });
  }
}
