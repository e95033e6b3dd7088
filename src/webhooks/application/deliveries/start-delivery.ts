import { Injectable } from '@nestjs/common';
import { Clock, Outbox, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { type Delivery, DeliveriesDue } from '../../domain/delivery.js';
import { WebhookNotFound } from '../../domain/webhook.errors.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';

/** What the use cases share that send something at once, because an account asks for it. */
@Injectable()
export class StartDelivery {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @param begin stores the delivery, which is due now
   * @throws WebhookNotFound when the account has no webhook with this id.
   */
  execute(
    account: string,
    webhookId: bigint,
    begin: (nowMs: number, transaction: Transaction) => Promise<Delivery>,
  ): Promise<Delivery> {
    const nowMs = this.clock.now();
    return this.unitOfWork.run(async (transaction) => {
      let begun: Delivery;
      const wake = async <W extends object>(webhook: W) => {
        begun = await begin(nowMs, transaction);
        return { ...webhook, wakeAtMs: nowMs };
      };
      const webhook = await this.webhooks.change(account, webhookId, wake, transaction);
      if (!webhook) throw new WebhookNotFound(webhookId);
      await this.outbox.add(new DeliveriesDue(webhookId, nowMs, 0, begun!.id), transaction);
      return begun!;
    });
  }
}
