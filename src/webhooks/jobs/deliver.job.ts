import { Job, type JobHandler, type RunAgain } from '@animal-store/jobs';
import { Deliver } from '../application/deliveries/deliver.use-case.js';
import type { DeliveriesDue } from '../domain/delivery.js';

/** Delivers to one webhook, which has one job, so the whole cluster sends one request at a time to it. */
@Job('webhooks.deliver', {
  on: ['webhooks.deliveries_due'],
  subjects: 'one job',
  // Most of them wait for a slot, where accounts take turns.
  concurrency: 2_000,
  limitMs: 10 * 60_000,
  // Each server that is killed meanwhile uses one. The attempts of a delivery are its own.
  attempts: 1_000,
})
export class DeliverJob implements JobHandler<string> {
  constructor(private readonly deliver: Deliver) {}

  jobsFor({ webhooks }: DeliveriesDue) {
    return webhooks.map(({ id, delayMs }) => ({ payload: String(id), subject: String(id), delayMs }));
  }

  run(webhookId: string, signal: AbortSignal): Promise<void | RunAgain> {
    return this.deliver.execute(BigInt(webhookId), signal);
  }
}
