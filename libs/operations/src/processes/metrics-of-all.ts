import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';

/** The metrics of one process, as they come through the channel. */
export type Measured = readonly MetricObjectWithValues<MetricValue<string>>[];

/** How the metrics of several processes become one. All others are added up, or as prom-client has it. */
const COMBINED: Readonly<Record<string, 'first' | 'min' | 'max'>> = {
  animal_store_api_keys: 'max',
  animal_store_build_info: 'first',
  animal_store_cleaning_behind_seconds: 'max',
  animal_store_database_queue_length: 'max',
  animal_store_dependency_up: 'min',
  // The primary knows better, and is the first of them.
  animal_store_ready: 'first',
  process_start_time_seconds: 'first',
};
/** A mean would hide the one process that is late. */
const EVENT_LOOP_LAG = 'nodejs_eventloop_lag_';

/** Those that only rise: they must not fall when a process ends. */
export function withoutGauges(metrics: Measured): Measured {
  return metrics.filter(({ type }) => String(type) !== 'gauge');
}

export function metricsOfAll(processes: readonly Measured[]): Registry {
  const combined = processes.map((metrics) =>
    metrics.map((metric) => ({
      ...metric,
      aggregator: metric.name.startsWith(EVENT_LOOP_LAG)
        ? 'max'
        : (COMBINED[metric.name] ?? metric.aggregator),
    })),
  );
  return AggregatorRegistry.aggregate(combined);
}
