import { Injectable } from '@nestjs/common';
import { Clock, Outbox, UnitOfWork } from '@animal-store/kernel';
import { DeliveriesDue, newDelivery } from '../../domain/delivery.js';
import { DeliveryRepository } from '../../domain/delivery.repository.js';
import type { Announcement } from '../../domain/webhook-event.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import { isAsleep } from '../../domain/webhook.js';

/** Makes a delivery of an event for each webhook that wants it. It may be called again for the same event. */
@Injectable()
export class AnnounceEvent {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /** Each step is a transaction of its own, as there may be many webhooks. */
  async execute(announcement: Announcement, signal: AbortSignal): Promise<void> {
    const delivery = newDelivery(announcement);
    for (let from: bigint | null = 0n; from !== null;) {
      signal.throwIfAborted();
      const after: bigint = from;
      from = await this.unitOfWork.run(async (transaction) => {
        const step = await this.webhooks.lockSubscribers(announcement, after, transaction);
        const ids = step.webhooks.map(({ id }) => id);
        if (ids.length > 0) await this.deliveries.addEach(delivery, ids, transaction);
        const nowMs = this.clock.now();
        for (const webhook of step.webhooks) {
          if (!isAsleep(webhook, nowMs)) continue;
          await this.webhooks.wake({ id: webhook.id, wakeAtMs: nowMs }, transaction);
          await this.outbox.add(new DeliveriesDue(webhook.id, nowMs, 0), transaction);
        }
        return step.after;
      });
    }
  }
}
