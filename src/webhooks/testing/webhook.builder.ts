import { type Delivery, type NewDelivery, newDelivery } from '../domain/delivery.js';
import type { NewWebhook, Webhook } from '../domain/webhook.js';

/** Noon, as in every test. */
const AT_MS = Date.UTC(2026, 2, 14, 12);

/** A webhook to add. A test passes only the fields it is about. */
export function aNewWebhook(facts: Partial<NewWebhook> = {}): NewWebhook {
  return {
    account: 'zoo',
    url: 'https://zoo.example/webhooks',
    events: ['animal.added'],
    secrets: [{ text: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', untilMs: null }],
    createdAtMs: AT_MS,
    wakeAtMs: null,
    plannedAtMs: null,
    failures: 0,
    failingSinceMs: null,
    disabledAtMs: null,
    disabledReason: null,
    ...facts,
  };
}

export function aWebhook({ id = 1n, ...facts }: Partial<Webhook> = {}): Webhook {
  return { id, ...aNewWebhook(facts) };
}

/** A delivery to add. */
export function aNewDelivery(facts: Partial<NewDelivery> = {}): NewDelivery {
  const announcement = { id: 'evt_1', event: 'animal.added', audience: '', atMs: AT_MS, data: '{}' } as const;
  return { ...newDelivery(announcement), ...facts };
}

export function aDelivery({ id = 1n, webhookId = 1n, ...facts }: Partial<Delivery> = {}): Delivery {
  return { id, webhookId, ...aNewDelivery(facts) };
}
