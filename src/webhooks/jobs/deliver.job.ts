import { Job, type JobHandler, type RunAgain } from '@animal-store/jobs';
import { Deliver } from '../application/deliveries/deliver.use-case.js';
import type { DeliveriesDue } from '../domain/delivery.js';

interface Due {
  readonly webhookId: bigint | number;
  readonly wakeAtMs: number;
  readonly first: bigint | number | null;
}

/** Delivers to one webhook. The whole cluster does so once at a time, so a slow receiver holds one of the places. */
@Job('webhooks.deliver', {
  on: ['webhooks.deliveries_due'],
  subjects: 'one at a time',
  concurrency: 100,
  limitMs: 30_000,
  // Each server that is killed meanwhile uses one. The tries of a delivery are its own.
  tries: 1_000,
})
export class DeliverJob implements JobHandler<Due> {
  constructor(private readonly deliver: Deliver) {}

  jobsFor({ webhookId, wakeAtMs, delayMs, first }: DeliveriesDue) {
    return [{ payload: { webhookId, wakeAtMs, first }, subject: String(webhookId), delayMs }];
  }

  run({ webhookId, wakeAtMs, first }: Due, signal: AbortSignal): Promise<void | RunAgain> {
    const due = { webhookId: BigInt(webhookId), wakeAtMs, first: first === null ? null : BigInt(first) };
    return this.deliver.execute(due, signal);
  }
}
