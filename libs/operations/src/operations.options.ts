import type { ServerLimits, StreamBounds } from '@animal-store/web';
import type { JsonLogger } from './logging/json-logger.js';

/**
 * `degraded`: Redis, or a node of a Redis Cluster, does not respond. Each replica limits the callers it counts by its
 * own counts.
 */
export type RedisState = 'off' | 'up' | 'degraded';

/** Reports whether Redis responds. */
export interface RedisHealth {
  redisState(): RedisState | Promise<RedisState>;
  /** Whether each primary of a Redis Cluster responds, by its address. */
  redisNodes(): ReadonlyMap<string, boolean>;
}

/** `late`: jobs wait for more than five minutes, or cannot be read. */
export type JobsState = 'off' | 'up' | 'late';

/** Reports the backlog of jobs. */
export interface JobsHealth {
  readonly state: JobsState;
}

export interface ReadinessReport {
  readonly ready: boolean;
  readonly shuttingDown: boolean;
  /** `degraded`: PostgreSQL refuses further connections, so requests wait for open ones, or its clock differs. */
  readonly database: 'up' | 'degraded' | 'down';
  readonly redis: RedisState;
  /** Whether each primary of a Redis Cluster responds. */
  readonly redisNodes: ReadonlyMap<string, boolean>;
  readonly jobs: JobsState;
}

/** What is known before the application is put together. A class, as it is also the injection token. */
export abstract class OperationsOptions {
  /** The name of the service: the metrics of `night-shop` begin with `night_shop_`. */
  abstract readonly service: string;
  abstract readonly version: string;
  /** The commit that was built. */
  abstract readonly commit: string;
  abstract readonly logger: JsonLogger;
  /** Where the metrics are served. The port 0 takes any free one, null serves none. */
  abstract readonly metrics: { readonly host: string; readonly port: number | null };
  abstract readonly limits: ServerLimits;
  abstract readonly streams: StreamBounds;
  /** The largest file of a form, and the largest of its other fields. */
  abstract readonly uploads: { readonly fileBytes: number; readonly fieldBytes: number };
}
