import { DeliveryRecord } from './deliveries/delivery.record.js';
import { CreateWebhooks1795000030000 } from './migrations/1795000030000-create-webhooks.js';
import { WebhookChangeRecord } from './subscriptions/webhook-change.record.js';
import { WebhookSubscriptionRecord } from './subscriptions/webhook-subscription.record.js';
import { WebhookRecord } from './subscriptions/webhook.record.js';

/** The records of this context and the migration that creates their tables. */
export const webhooksTables = {
  records: [WebhookRecord, WebhookSubscriptionRecord, WebhookChangeRecord, DeliveryRecord],
  migrations: [CreateWebhooks1795000030000],
};
