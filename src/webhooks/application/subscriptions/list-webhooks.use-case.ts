import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '@animal-store/kernel';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import type { Webhook } from '../../domain/webhook.js';

/** Lists an account's webhooks in the order in which they were created. */
@Injectable()
export class ListWebhooks {
  constructor(private readonly webhooks: WebhookRepository) {}

  execute(account: string, page: PageRequest): Promise<Page<Webhook>> {
    return this.webhooks.list(account, page);
  }
}
