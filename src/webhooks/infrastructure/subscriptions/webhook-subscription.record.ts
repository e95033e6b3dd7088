import { Entity, PrimaryColumn } from 'typeorm';

/** A row of `webhook_subscriptions`: an event that a webhook is notified of while it is enabled. */
@Entity({ name: 'webhook_subscriptions' })
export class WebhookSubscriptionRecord {
  @PrimaryColumn({ type: 'text' })
  event: string;

  /** The account whose events they are; empty for those of everybody. */
  @PrimaryColumn({ type: 'text' })
  audience: string;

  @PrimaryColumn({ type: 'bigint', name: 'webhook_id' })
  webhookId: bigint;
}
