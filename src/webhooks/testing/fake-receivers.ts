import type { Delivery, TryOutcome } from '../domain/delivery.js';
import { Receivers } from '../domain/receivers.js';
import type { Webhook } from '../domain/webhook.js';

export const ARRIVED: TryOutcome = { hasResponded: true, status: 204, problem: null };
export const REFUSED: TryOutcome = { hasResponded: true, status: 500, problem: 'The response was 500.' };
export const GONE: TryOutcome = { hasResponded: true, status: 410, problem: 'The response was 410.' };
export const SILENT: TryOutcome = {
  hasResponded: false,
  status: null,
  problem: 'There was no response within 10 s.',
};

/** Receivers that do what a test says. */
export class FakeReceivers extends Receivers {
  readonly sent: { webhookId: bigint; eventId: string; body: string; atMs: number }[] = [];
  outcomeOf: (webhook: Webhook, delivery: Delivery) => TryOutcome | null | Promise<TryOutcome | null> = () =>
    ARRIVED;

  problemOf(): string | null {
    return null;
  }

  async send(webhook: Webhook, delivery: Delivery, atMs: number): Promise<TryOutcome | null> {
    const outcome = await this.outcomeOf(webhook, delivery);
    const { eventId, body } = delivery;
    if (outcome !== null) this.sent.push({ webhookId: webhook.id, eventId, body, atMs });
    return outcome;
  }

  /** The ids of the resources that a webhook was told of. */
  toldOf(webhookId: bigint): unknown[] {
    return this.sent
      .filter((one) => one.webhookId === webhookId)
      .map(({ body }) => (JSON.parse(body) as { data: { id?: number } }).data.id);
  }
}
