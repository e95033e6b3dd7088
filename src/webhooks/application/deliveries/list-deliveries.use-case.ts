import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '@animal-store/kernel';
import { type DeliveryFilter, DeliveryRepository } from '../../domain/delivery.repository.js';
import type { Delivery } from '../../domain/delivery.js';
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
    const { wakeAtMs } = await this.getWebhook.execute(account, webhookId);
    const { items, next } = await this.deliveries.list(webhookId, { status }, { limit, after });
    // Nothing is sent while the receiver rests.
    const nextTryAtMs = (dueAtMs: number | null) => dueAtMs && Math.max(dueAtMs, wakeAtMs ?? 0);
    return { items: items.map((one) => ({ ...one, nextTryAtMs: nextTryAtMs(one.nextTryAtMs) })), next };
  }
}
