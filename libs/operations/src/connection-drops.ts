import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import { JsonLogger } from './logging/json-logger.js';
import { Metrics } from './metrics/metrics.js';

const SILENCE_MS = 60_000;

const LINES = {
  'too many connections': 'New connections are dropped: MAX_CONNECTIONS are open.',
  'too many requests': 'Connections are closed: too many pipelined requests wait for their response.',
};

export type DropReason = keyof typeof LINES;

const UNSERVED = 'Connections closed before their requests were handled.';

/**
 * Reports connections that were closed to protect the others, and requests that were never handled because their
 * connection had closed. Each one counts in the metrics. The log has at most one line a minute, so that one client
 * cannot fill it.
 */
@Injectable()
export class ConnectionDrops {
  private readonly silentUntilMs = new Map<string, number>();

  constructor(
    @Inject(JsonLogger) private readonly logger: Pick<JsonLogger, 'warn'>,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'connectionDropped' | 'requestsUnserved'>,
    @Inject(Clock) private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {}

  dropped(reason: DropReason): void {
    this.metrics.connectionDropped();
    this.warn(LINES[reason]);
  }

  /** @param count requests of one connection */
  unserved(count: number): void {
    this.metrics.requestsUnserved(count);
    this.warn(UNSERVED);
  }

  private warn(line: string): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs < (this.silentUntilMs.get(line) ?? -Infinity)) return;
    this.silentUntilMs.set(line, nowMs + SILENCE_MS);
    this.logger.warn(line, 'Server');
  }
}
