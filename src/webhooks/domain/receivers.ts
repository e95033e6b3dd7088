import type { Delivery, Outcome } from './delivery.js';
import type { Webhook } from './webhook.js';

/** The hosts of the URLs of webhooks. */
export abstract class Receivers {
  /** What is wrong with a URL, phrased to follow its name; null when deliveries may be sent there. */
  abstract problemOf(url: string): string | null;

  /**
   * Sends the delivery, signed. Whatever the receiver does is an outcome, in ten seconds; null when `signal` was
   * aborted before it has responded.
   */
  abstract send(
    webhook: Webhook,
    delivery: Delivery,
    atMs: number,
    signal: AbortSignal,
  ): Promise<Outcome | null>;
}
