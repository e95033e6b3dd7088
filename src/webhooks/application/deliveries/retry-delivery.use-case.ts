import { Injectable } from '@nestjs/common';
import { type Delivery, retried } from '../../domain/delivery.js';
import { DeliveryRepository } from '../../domain/delivery.repository.js';
import { DeliveryNotFound } from '../../domain/webhook.errors.js';
import { StartDelivery } from './start-delivery.js';

/** Sends an event again: one that has failed, that waits for its next try, or that has arrived and was lost there. */
@Injectable()
export class RetryDelivery {
  constructor(
    private readonly startDelivery: StartDelivery,
    private readonly deliveries: DeliveryRepository,
  ) {}

  /**
   * @throws WebhookNotFound when the account has no webhook with this id.
   * @throws DeliveryNotFound when that has no delivery with this id.
   */
  execute(account: string, webhookId: bigint, id: bigint): Promise<Delivery> {
    return this.startDelivery.execute(account, webhookId, async (nowMs, transaction) => {
      const delivery = await this.deliveries.findById(webhookId, id, transaction);
      if (!delivery) throw new DeliveryNotFound(id);
      const begun = retried(delivery, nowMs);
      await this.deliveries.begin(begun, transaction);
      return begun;
    });
  }
}
