import { DeliveryRecord } from './deliveries/delivery.record.js';
import { EventRecord } from './events/event.record.js';
import { StoreCausesOfEvents1795000083000 } from './migrations/1795000083000-store-causes-of-events.js';
import { StoreEventsOnce1795000032000 } from './migrations/1795000032000-store-events-once.js';
import { StoreMakersOfWebhooks1795000084000 } from './migrations/1795000084000-store-makers-of-webhooks.js';
import {
  EventInterestRecord,
  WebhookRecord,
  WebhookSubscriptionRecord,
} from './subscriptions/webhook.record.js';

/** The records of this context and the migrations that create their tables. */
export const webhooksTables = {
  records: [EventRecord, WebhookRecord, WebhookSubscriptionRecord, EventInterestRecord, DeliveryRecord],
  migrations: [
    StoreEventsOnce1795000032000,
    StoreCausesOfEvents1795000083000,
    StoreMakersOfWebhooks1795000084000,
  ],
};
