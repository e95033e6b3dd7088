import type { ConnectionBounds } from '@animal-store/web';
import type { JsonLogger } from './logging/json-logger.js';

/** `degraded`: Redis is configured but does not respond, so each replica limits by its own counts. */
export type RedisState = 'off' | 'up' | 'degraded';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly shuttingDown: boolean;
  readonly database: 'up' | 'down';
  readonly redis: RedisState;
  /** How many processes are ready, when there are several. */
  readonly workers?: { readonly ready: number; readonly wanted: number };
}

/** What is known before the application is put together. A class, as it is also the injection token. */
export abstract class OperationsOptions {
  /** Of the service. */
  abstract readonly version: string;
  /** The one that was built. */
  abstract readonly commit: string;
  abstract readonly logger: JsonLogger;
  /** Where the metrics are served. The port 0 takes any free one, null serves none. */
  abstract readonly metrics: { readonly host: string; readonly port: number | null };
  /** When this process is one of several. */
  abstract readonly worker: { readinessOfAll(): Promise<ReadinessReport | null> } | null;
  abstract readonly connections: ConnectionBounds;
}
