import type { ReadinessReport } from './readiness.js';

export interface HealthResponse {
  status: 'ok';
}

export interface ReadinessResponse extends Pick<ReadinessReport, 'database' | 'redis'> {
  status: 'ok' | 'degraded';
}
