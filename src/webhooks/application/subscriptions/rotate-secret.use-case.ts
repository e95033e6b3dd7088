import { Injectable } from '@nestjs/common';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import { WebhookNotFound } from '../../domain/webhook.errors.js';
import { WebhookRandom } from '../../domain/webhook-random.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import { type Webhook, withNewSecret } from '../../domain/webhook.js';

/** Gives a webhook a new secret. The one before signs for another day. */
@Injectable()
export class RotateSecret {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly random: WebhookRandom,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws WebhookNotFound when the account has no webhook with this id. */
  execute(account: string, id: bigint): Promise<Webhook> {
    const [secret, nowMs] = [this.random.secret(), this.clock.now()];
    return this.unitOfWork.run(async (transaction) => {
      const rotate = (webhook: Webhook) => withNewSecret(webhook, secret, nowMs);
      const webhook = await this.webhooks.change(account, id, rotate, transaction);
      if (!webhook) throw new WebhookNotFound(id);
      return webhook;
    });
  }
}
