import type { Delivery } from '../domain/delivery.js';
import { EVERYBODY, newEvent, type NewEvent, type StoredEvent } from '../domain/event.js';
import type { NewWebhook, Webhook } from '../domain/webhook.js';

/** Noon, as in every test. */
const AT_MS = Date.UTC(2026, 2, 14, 12);

/** A webhook to add. A test passes only the fields it is about. */
export function aNewWebhook(facts: Partial<NewWebhook> = {}): NewWebhook {
  return {
    account: 'zoo',
    createdBy: 'key_anna',
    ownerKey: 'key_anna',
    url: 'https://zoo.example/webhooks',
    events: ['animal.added'],
    secrets: [{ text: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', untilMs: null }],
    createdAtMs: AT_MS,
    status: 'enabled',
    pending: 0,
    pausedUntilMs: null,
    failures: 0,
    failingSinceMs: null,
    refusedSinceMs: null,
    disabledAtMs: null,
    disabledReason: null,
    ...facts,
  };
}

export function aWebhook({ id = 1n, ...facts }: Partial<Webhook> = {}): Webhook {
  return { id, ...aNewWebhook(facts) };
}

/** An event to add. */
export function aNewEvent(facts: Partial<NewEvent> = {}): NewEvent {
  const { type = 'animal.added', audience = EVERYBODY, createdAtMs = AT_MS } = facts;
  const event = newEvent({ name: type, version: 1 }, audience, '{}', createdAtMs);
  return { ...event, eventId: 'evt_1', ...facts };
}

export function anEvent({ id = 1n, ...facts }: Partial<StoredEvent> = {}): StoredEvent {
  return { id, ...aNewEvent(facts) };
}

export function aDelivery({ event, ...facts }: Partial<Delivery> = {}): Delivery {
  return {
    id: 1n,
    webhookId: 1n,
    event: event ?? anEvent(),
    rank: 2,
    status: 'pending',
    attempts: 0,
    nextAttemptAtMs: AT_MS,
    responseStatus: null,
    problem: null,
    startedAtMs: AT_MS,
    endedAtMs: null,
    ...facts,
  };
}
