import { Every, Job, type JobHandler } from '@animal-store/jobs';
import { ExpireOrders } from '../application/expire-orders.use-case.js';

@Job('orders.expire', { concurrency: 1, limitMs: 600_000 })
@Every('1h')
export class ExpireOrdersJob implements JobHandler<null> {
  constructor(private readonly expireOrders: ExpireOrders) {}

  isScheduled(): boolean {
    return this.expireOrders.isOn;
  }

  run(_: null, signal: AbortSignal): Promise<void> {
    return this.expireOrders.execute(signal);
  }
}
