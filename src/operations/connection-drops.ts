import type { JsonLogger } from './logging/json-logger.js';
import type { Metrics } from './metrics/metrics.js';

const SILENCE_MS = 60_000;

const LINES = {
  'too many connections': 'New connections are dropped: MAX_CONNECTIONS are open.',
  'too many requests': 'Connections are closed: too many pipelined requests wait for their response.',
};

/** Reports connections that are closed to save the others: each in the metrics, a minute's in one line. */
export class ConnectionDrops {
  private silentUntilMs = -Infinity;

  constructor(
    private readonly logger: Pick<JsonLogger, 'warn'>,
    private readonly metrics: Pick<Metrics, 'connectionDropped'>,
    private readonly monotonicMs: () => number,
  ) {}

  dropped(reason: keyof typeof LINES): void {
    this.metrics.connectionDropped();
    const nowMs = this.monotonicMs();
    if (nowMs < this.silentUntilMs) return;
    this.silentUntilMs = nowMs + SILENCE_MS;
    this.logger.warn(LINES[reason], 'Server');
  }
}
