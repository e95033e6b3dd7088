/** What an operator has set. */
export abstract class WebhookSettings {
  /** How much may be pending of a webhook. */
  abstract readonly mostPending: number;
  /** Whether all events are stored, also those that no webhook is told of. */
  abstract readonly events: 'subscribed' | 'always';
}
