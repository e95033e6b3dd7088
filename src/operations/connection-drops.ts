import type { JsonLogger } from './logging/json-logger.js';
import type { Metrics } from './metrics/metrics.js';

const SILENCE_MS = 60_000;

/** Reports connections that are closed unread because there are too many: each in the metrics, a minute's in one line. */
export class ConnectionDrops {
  private silentUntilMs = -Infinity;

  constructor(
    private readonly logger: Pick<JsonLogger, 'warn'>,
    private readonly metrics: Pick<Metrics, 'connectionDropped'>,
    private readonly monotonicMs: () => number,
  ) {}

  dropped(): void {
    this.metrics.connectionDropped();
    const nowMs = this.monotonicMs();
    if (nowMs < this.silentUntilMs) return;
    this.silentUntilMs = nowMs + SILENCE_MS;
    this.logger.warn('New connections are dropped: MAX_CONNECTIONS are open.', 'Server');
  }
}
