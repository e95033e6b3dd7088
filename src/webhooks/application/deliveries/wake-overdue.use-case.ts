import { Injectable } from '@nestjs/common';
import { Clock, Outbox, UnitOfWork } from '@animal-store/kernel';
import { DeliveriesDue } from '../../domain/delivery.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import type { Webhook } from '../../domain/webhook.js';

/** The job of a webhook that was to be looked at so long ago has failed, was cancelled, or waits behind many. */
const LOST_AFTER_MS = 10 * 60_000;
const WEBHOOKS_A_STEP = 100;

/** Gives a job to each webhook whose own was lost. One that is there yet does nothing. */
@Injectable()
export class WakeOverdue {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  async execute(signal: AbortSignal): Promise<void> {
    const nowMs = this.clock.now();
    const isOverdue = ({ wakeAtMs }: Webhook) => wakeAtMs !== null && wakeAtMs <= nowMs - LOST_AFTER_MS;
    for (let hasMore = true; hasMore && !signal.aborted;) {
      const overdue = await this.webhooks.listOverdue(nowMs - LOST_AFTER_MS, WEBHOOKS_A_STEP);
      for (const { account, id } of overdue)
        await this.unitOfWork.run(async (transaction) => {
          const wake = async (webhook: Webhook) => {
            if (!isOverdue(webhook)) return webhook;
            await this.outbox.add(new DeliveriesDue(id, nowMs, 0), transaction);
            return { ...webhook, wakeAtMs: nowMs };
          };
          await this.webhooks.change(account, id, wake, transaction);
        });
      hasMore = overdue.length === WEBHOOKS_A_STEP;
    }
  }
}
