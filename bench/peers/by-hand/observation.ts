import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

const FIT_ID = /^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]{1,128}$/;
const GATHERED_CHARACTERS = 32_768;
const LONGEST_WAIT_MS = 100;
const BUCKETS_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 15_000];

const output = pino.destination({ dest: 1, sync: false, contentMode: 'buffer' });
let lines = '';
const handOver = (): void => {
  // Bytes, in this mode, which its types do not say.
  if (lines !== '') output.write(Buffer.from(lines) as unknown as string);
  lines = '';
};
setInterval(handOver, LONGEST_WAIT_MS).unref();

const registry = new Registry();
const registers = [registry];
const latency = new Histogram({
  ...{
    name: 'animal_store_http_request_duration_seconds',
    help: 'Time to the end of the response.',
    registers,
  },
  ...{ labelNames: ['operation'], buckets: BUCKETS_MS.map((ms) => ms / 1_000) },
});
const requests = new Counter({
  ...{ name: 'animal_store_http_requests_total', help: 'Requests by operation and status.', registers },
  labelNames: ['operation', 'status'],
});
const decisions = new Counter({
  ...{ name: 'animal_store_rate_limit_decisions_total', help: 'Decisions by outcome and plan.', registers },
  labelNames: ['outcome', 'plan'],
});
const observers = new Map<string, Histogram.Internal<string>>();
/** By one label, then by the other: no text is made for a request. */
const requestCounters = new Map<string, Map<number, Counter.Internal>>();
const decisionCounters = new Map<string, Map<string, Counter.Internal>>();

const processPart = randomBytes(8).toString('hex');
let made = 0;

export function requestIdFrom(header: string | string[] | undefined): string {
  const isUsable = typeof header === 'string' && FIT_ID.test(header) && !header.includes('ask_');
  return isUsable ? header : `${processPart}-${(++made).toString(36)}`;
}

/** The log line and the metrics of one request. */
export function requestFinished(
  requestId: string,
  keyId: string | null,
  method: string,
  route: string,
  status: number,
  startedAtMs: number,
): void {
  const durationMs = performance.now() - startedAtMs;
  const operation = `${method} ${route}`;
  lines +=
    `{"level":"${status >= 500 ? 'error' : 'info'}","time":${Date.now()},"requestId":"${requestId}"` +
    `,"keyId":${keyId === null ? 'null' : `"${keyId}"`},"method":"${method}","route":"${route}"` +
    `,"status":${status},"durationMs":${Math.round(durationMs * 1_000) / 1_000}}\n`;
  if (lines.length >= GATHERED_CHARACTERS) handOver();
  known(observers, operation, () => latency.labels(operation)).observe(durationMs / 1_000);
  const counters = known(requestCounters, operation, () => new Map<number, Counter.Internal>());
  known(counters, status, () => requests.labels(operation, String(status))).inc();
}

export function limitDecided(outcome: string, plan: string): void {
  const counters = known(decisionCounters, outcome, () => new Map<string, Counter.Internal>());
  known(counters, plan, () => decisions.labels(outcome, plan)).inc();
}

function known<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = values.get(key);
  if (value === undefined) values.set(key, (value = make()));
  return value;
}

export function serveMetrics(port: number): void {
  collectDefaultMetrics({ register: registry });
  createServer((_request, response) => {
    void registry.metrics().then((text) => response.end(text));
  }).listen(port, '127.0.0.1');
}
