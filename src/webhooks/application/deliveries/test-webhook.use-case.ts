import { Injectable } from '@nestjs/common';
import { type Delivery, newDelivery } from '../../domain/delivery.js';
import { DeliveryRepository } from '../../domain/delivery.repository.js';
import { TEST_EVENT } from '../../domain/webhook-event.js';
import { WebhookRandom } from '../../domain/webhook-random.js';
import { StartDelivery } from './start-delivery.js';

/** Sends an event without a meaning, so that an account sees whether it arrives. */
@Injectable()
export class TestWebhook {
  constructor(
    private readonly startDelivery: StartDelivery,
    private readonly deliveries: DeliveryRepository,
    private readonly random: WebhookRandom,
  ) {}

  /** @throws WebhookNotFound when the account has no webhook with this id. */
  execute(account: string, webhookId: bigint): Promise<Delivery> {
    const id = this.random.eventId();
    return this.startDelivery.execute(account, webhookId, (atMs, transaction) => {
      const test = newDelivery({ id, event: TEST_EVENT, audience: account, atMs, data: '{}' });
      return this.deliveries.add(test, webhookId, transaction);
    });
  }
}
