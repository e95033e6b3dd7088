/** What a webhook can be told of. An account gets its own orders, and all animals. */
export const WEBHOOK_EVENTS = [
  'animal.added',
  'animal.status_changed',
  'order.placed',
  'order.completed',
  'order.cancelled',
] as const;

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Sent when an account asks for it. */
export const TEST_EVENT = 'webhook.test';

/** An event for every account. No account has an empty name. */
export const EVERYBODY = '';

/** Something that has happened, as receivers are told. */
export interface Announcement {
  /** The same for all who are told, and whenever they are told again. */
  readonly id: string;
  readonly event: WebhookEvent | typeof TEST_EVENT;
  /** The account that may know of it, or EVERYBODY. */
  readonly audience: string;
  readonly atMs: number;
  /** The resource that has changed, in JSON. */
  readonly data: string;
}
