import { Injectable } from '@nestjs/common';
import { isRefused, type Outcome, pauseMs } from '../../domain/delivery.js';

/** What became of the requests of this process, for metrics. */
@Injectable()
export class DeliveryCounts {
  readonly byOutcome = new Map(
    ['delivered', 'refused', 'error', 'paused', 'no_response'].map((kind) => [kind, 0]),
  );
  /** From the events to their arrivals, of all that have arrived. */
  lateSeconds = 0;

  /** @param lateMs since the event */
  attempted(outcome: Outcome, lateMs: number): void {
    const kind = kindOf(outcome);
    this.byOutcome.set(kind, this.byOutcome.get(kind)! + 1);
    if (kind === 'delivered') this.lateSeconds += Math.max(0, lateMs) / 1_000;
  }
}

function kindOf(outcome: Outcome): string {
  if (outcome.problem === null) return 'delivered';
  if (outcome.status === null) return 'no_response';
  if (pauseMs(outcome) !== null) return 'paused';
  return isRefused(outcome) ? 'refused' : 'error';
}
