import { DomainError } from '@animal-store/kernel';

export class WebhookNotFound extends DomainError {
  static readonly when = 'No webhook of this account has this id.';
  static readonly fix = 'An account sees only its own webhooks. Check which API key you use.';
  static readonly example = new WebhookNotFound(1n);

  /** @param id as the caller sent it, which may be text that is no id */
  constructor(id: bigint | string) {
    super('webhook_not_found', 'not-found', `No webhook of this account has id ${id}.`);
  }
}

export class DeliveryNotFound extends DomainError {
  static readonly when = 'No delivery of this webhook has this id.';
  static readonly fix = 'Take the id from the list of deliveries, which shows ended ones for a week.';
  static readonly example = new DeliveryNotFound(1n);

  /** @param id as the caller sent it, which may be text that is no id */
  constructor(id: bigint | string) {
    super('delivery_not_found', 'not-found', `No delivery of this webhook has id ${id}.`);
  }
}

export class EventNotFound extends DomainError {
  static readonly when = 'No event that the account may read has this id.';
  static readonly fix =
    'Take the id from the list of events, or from `webhook-id`. Events are removed after 30 days.';
  static readonly example = new EventNotFound('evt_5b0f3c1e-7a54-4a3e-9d5f-2c8a1b6f4e70');

  /** @param id as the caller sent it, which may be of any length */
  constructor(id: string) {
    const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id;
    super('event_not_found', 'not-found', `No event of this account has id ${shown}.`);
  }
}

export class TooManyWebhooks extends DomainError {
  static readonly when = 'The account has as many webhooks as it may have.';
  static readonly fix = 'Delete one that you do not need. One webhook can subscribe to several events.';
  static readonly example = new TooManyWebhooks(20);

  constructor(max: number) {
    super('too_many_webhooks', 'conflict', `An account has at most ${max} webhooks. Delete one first.`);
  }
}

export class InvalidWebhook extends DomainError {
  static readonly when = 'Webhooks may not be sent to the `url`.';
  static readonly fix =
    'It must be https in production, of a public host, on port 443 or 80. On your own machine: [Webhooks](api/webhooks.md#on-your-own-machine)';
  static readonly example = new InvalidWebhook('url must have a public address.');

  constructor(message: string) {
    super('validation_failed', 'invalid', message);
  }
}
