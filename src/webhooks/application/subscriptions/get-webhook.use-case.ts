import { Injectable } from '@nestjs/common';
import { WebhookNotFound } from '../../domain/webhook.errors.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import type { Webhook } from '../../domain/webhook.js';

/** Finds one of an account's webhooks. */
@Injectable()
export class GetWebhook {
  constructor(private readonly webhooks: WebhookRepository) {}

  /** @throws WebhookNotFound when the account has no webhook with this id. */
  async execute(account: string, id: bigint): Promise<Webhook> {
    const webhook = await this.webhooks.findById(account, id);
    if (!webhook) throw new WebhookNotFound(id);
    return webhook;
  }
}
