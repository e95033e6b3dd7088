import type { Delivery, Outcome } from '../domain/delivery.js';
import { TEST_EVENT } from '../domain/event.js';
import { Receivers } from '../domain/receivers.js';
import type { Webhook } from '../domain/webhook.js';

export const ARRIVED: Outcome = { status: 204, problem: null, retryAfterMs: null };
export const BROKEN: Outcome = responded(500);
export const REFUSED: Outcome = responded(404);
export const GONE: Outcome = responded(410);
export const SILENT: Outcome = {
  status: null,
  problem: 'There was no response within 10 s.',
  retryAfterMs: null,
};

export function responded(status: number, retryAfterMs: number | null = null): Outcome {
  return { status, problem: `The response was ${status}.`, retryAfterMs };
}

type OutcomeOf = (webhook: Webhook, delivery: Delivery) => Outcome | null | Promise<Outcome | null>;

/** Receivers that do what a test says. */
export class FakeReceivers extends Receivers {
  readonly sent: { webhookId: bigint; eventId: string; type: string; body: string; atMs: number }[] = [];
  outcomeOf: OutcomeOf = () => ARRIVED;

  problemOf(): string | null {
    return null;
  }

  async send(webhook: Webhook, delivery: Delivery, atMs: number): Promise<Outcome | null> {
    const outcome = await this.outcomeOf(webhook, delivery);
    const { eventId, type, body } = delivery.event;
    if (outcome !== null) this.sent.push({ webhookId: webhook.id, eventId, type, body, atMs });
    return outcome;
  }

  /** The ids of the resources that a webhook was notified of, but for tests. */
  receivedBy(webhookId: bigint): unknown[] {
    return this.sent
      .filter((one) => one.webhookId === webhookId && one.type !== TEST_EVENT)
      .map(({ body }) => (JSON.parse(body) as { data: { id?: number } }).data.id);
  }

  /** How many tests a webhook was sent. */
  testsOf(webhookId: bigint): number {
    return this.sent.filter((one) => one.webhookId === webhookId && one.type === TEST_EVENT).length;
  }
}
