import { Injectable } from '@nestjs/common';
import { isRefused, type Outcome, pauseMs } from '../../domain/delivery.js';

const OUTCOMES = ['delivered', 'refused', 'error', 'paused', 'no_response'] as const;

type Kind = (typeof OUTCOMES)[number];

/** What became of the requests of this process, for metrics. */
@Injectable()
export class DeliveryCounts {
  private readonly counts = new Map<Kind, number>(OUTCOMES.map((kind) => [kind, 0]));
  /** From the events to their arrivals, of all that have arrived. */
  lateSeconds = 0;

  get byOutcome(): [outcome: string, count: number][] {
    return [...this.counts];
  }

  /** @param lateMs since the event */
  attempted(outcome: Outcome, lateMs: number): void {
    const kind = kindOf(outcome);
    this.counts.set(kind, this.counts.get(kind)! + 1);
    if (kind === 'delivered') this.lateSeconds += Math.max(0, lateMs) / 1_000;
  }
}

function kindOf(outcome: Outcome): Kind {
  if (outcome.problem === null) return 'delivered';
  if (!outcome.hasResponded) return 'no_response';
  if (pauseMs(outcome) !== null) return 'paused';
  return isRefused(outcome) ? 'refused' : 'error';
}
