import { Injectable } from '@nestjs/common';
import { Clock, Outbox, UnitOfWork } from '@animal-store/kernel';
import { DeliveriesDue } from '../../domain/delivery.js';
import { Receivers } from '../../domain/receivers.js';
import { InvalidWebhook, TooManyWebhooks } from '../../domain/webhook.errors.js';
import { WebhookRandom } from '../../domain/webhook-random.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import { RequestDelivery } from '../deliveries/request-delivery.use-case.js';
import { MAX_WEBHOOKS, newWebhook, type Webhook, type WebhookTerms } from '../../domain/webhook.js';

/** Subscribes an account to events. Its receiver is sent a test, and nothing else until that has arrived. */
@Injectable()
export class CreateWebhook {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly receivers: Receivers,
    private readonly random: WebhookRandom,
    private readonly request: RequestDelivery,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @throws InvalidWebhook when nothing may be sent to the URL.
   * @throws TooManyWebhooks
   */
  async execute(terms: WebhookTerms): Promise<Webhook> {
    const problem = this.receivers.problemOf(terms.url);
    if (problem !== null) throw new InvalidWebhook(`url ${problem}.`);
    const webhook = newWebhook(terms, this.random.secret(), this.clock.now());
    return this.unitOfWork.run(async (transaction) => {
      const added = await this.webhooks.add(webhook, MAX_WEBHOOKS, transaction);
      if (added === null) throw new TooManyWebhooks(MAX_WEBHOOKS);
      await this.request.test(added, transaction);
      await this.webhooks.addPending([added.id], 1, transaction);
      await this.outbox.add(new DeliveriesDue([added.id]), transaction);
      return added;
    });
  }
}
