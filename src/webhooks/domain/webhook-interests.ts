import type { WebhookEvent } from './webhook-event.js';

/**
 * Who wants to be told of what, so that an event costs nothing that nobody wants. What other servers have changed is known within
 * five seconds; until then an event may be announced for nobody, or a new webhook not be told of it.
 */
export abstract class WebhookInterests {
  /** Whether anybody may want such events. */
  abstract hasAny(event: WebhookEvent): boolean;

  /** Whether the account, or anybody for EVERYBODY, may want them. */
  abstract has(event: WebhookEvent, audience: string): boolean;
}
