import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '@animal-store/kernel';
import { type DeliveryFilter, DeliveryRepository } from '../../domain/delivery.repository.js';
import { type Delivery, RANKS } from '../../domain/delivery.js';
import { GetWebhook } from '../subscriptions/get-webhook.use-case.js';

export interface ListDeliveriesInput extends PageRequest, DeliveryFilter {
  readonly account: string;
  readonly webhookId: bigint;
}

/** Lists the deliveries of one of an account's webhooks, the newest first. */
@Injectable()
export class ListDeliveries {
  constructor(
    private readonly getWebhook: GetWebhook,
    private readonly deliveries: DeliveryRepository,
  ) {}

  /** @throws WebhookNotFound when the account has no webhook with this id. */
  async execute({ account, webhookId, status, limit, after }: ListDeliveriesInput): Promise<Page<Delivery>> {
    const { pausedUntilMs } = await this.getWebhook.execute(account, webhookId);
    const { items, next } = await this.deliveries.list(webhookId, { status }, { limit, after });
    // Nothing else is sent while the webhook is paused.
    const shown = ({ rank, nextAttemptAtMs: at }: Delivery) =>
      at === null || rank === RANKS.requested ? at : Math.max(at, pausedUntilMs ?? 0);
    return { items: items.map((one) => ({ ...one, nextAttemptAtMs: shown(one) })), next };
  }
}
