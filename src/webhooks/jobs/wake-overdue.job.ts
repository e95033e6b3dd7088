import { Every, Job, type JobHandler } from '@animal-store/jobs';
import { WakeOverdue } from '../application/deliveries/wake-overdue.use-case.js';

/** Nothing else looks at a webhook whose job was cancelled, or has failed. */
@Job('webhooks.wake_overdue')
@Every('5m')
export class WakeOverdueJob implements JobHandler<null> {
  constructor(private readonly wakeOverdue: WakeOverdue) {}

  run(_: null, signal: AbortSignal): Promise<void> {
    return this.wakeOverdue.execute(signal);
  }
}
