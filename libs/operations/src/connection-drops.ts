import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import { JsonLogger } from './logging/json-logger.js';
import { Metrics } from './metrics/metrics.js';

const SILENCE_MS = 60_000;

export type DropReason = 'too many connections' | 'too many requests';

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
    if (this.isSilent(reason)) return;
    if (reason === 'too many connections')
      this.logger.warn('New connections are dropped: MAX_CONNECTIONS are open.', 'Server');
    else
      this.logger.warn(
        'Connections are closed: too many pipelined requests wait for their response.',
        'Server',
      );
  }

  /** @param count requests of one connection */
  unserved(count: number): void {
    this.metrics.requestsUnserved(count);
    if (!this.isSilent('unserved'))
      this.logger.warn('Connections closed before their requests were handled.', 'Server');
  }

  /** Whether it was said less than a minute ago. Otherwise it is said now. */
  private isSilent(what: string): boolean {
    const nowMs = this.clock.monotonicMs();
    if (nowMs < (this.silentUntilMs.get(what) ?? -Infinity)) return true;
    this.silentUntilMs.set(what, nowMs + SILENCE_MS);
    return false;
  }
}
