import { Injectable } from '@nestjs/common';
import { Clock, Outbox, UnitOfWork } from '@animal-store/kernel';
import { DeliveriesDue } from '../../domain/delivery.js';
import { WebhookNotFound } from '../../domain/webhook.errors.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import { deleted, type Webhook } from '../../domain/webhook.js';

/** Ends a subscription. What has not arrived yet is not sent any more. */
@Injectable()
export class DeleteWebhook {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /** @throws WebhookNotFound when the account has no webhook with this id. */
  execute(account: string, id: bigint): Promise<void> {
    const nowMs = this.clock.now();
    const remove = (webhook: Webhook) => deleted(webhook, nowMs);
    return this.unitOfWork.run(async (transaction) => {
      const webhook = await this.webhooks.change(account, id, remove, transaction);
      if (!webhook) throw new WebhookNotFound(id);
      // Its deliveries are ended in the background, as there may be many.
      await this.outbox.add(new DeliveriesDue([id]), transaction);
    });
  }
}
