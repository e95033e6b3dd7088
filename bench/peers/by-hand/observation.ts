import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

const FIT_ID = /^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]{1,128}$/;
const GATHERED_CHARACTERS = 32_768;
const LONGEST_WAIT_MS = 100;
const BUCKETS_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15,
];

const output = pino.destination({ dest: 1, sync: false, contentMode: 'buffer' });
let lines = '';
const handOver = (): void => {
  // Bytes, in this mode, which its types do not say.
  if (lines !== '') output.write(Buffer.from(lines) as unknown as string);
  lines = '';
};
setInterval(handOver, LONGEST_WAIT_MS).unref();
process.on('SIGTERM', () => {
  handOver();
  output.flushSync();
  process.exit(0);
});

const registry = new Registry();
const latency = new Histogram({
  name: 'animal_store_http_request_duration_seconds',
  help: 'Time from the head of a request to the end of its answer.',
  labelNames: ['operation'],
  buckets: BUCKETS_SECONDS,
  registers: [registry],
});
const requests = new Counter({
  name: 'animal_store_http_requests_total',
  help: 'Requests by operation and status.',
  labelNames: ['operation', 'status'],
  registers: [registry],
});
const decisions = new Counter({
  name: 'animal_store_rate_limit_decisions_total',
  help: 'Rate limit decisions by outcome and plan.',
  labelNames: ['outcome', 'plan'],
  registers: [registry],
});

interface Series {
  readonly latency: Histogram.Internal<string>;
  readonly requests: Map<number, Counter.Internal>;
}

const seriesByOperation = new Map<string, Series>();
const countersByDecision = new Map<string, Counter.Internal>();

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

  let series = seriesByOperation.get(operation);
  if (!series) {
    series = { latency: latency.labels(operation), requests: new Map() };
    seriesByOperation.set(operation, series);
  }
  let counter = series.requests.get(status);
  if (!counter) {
    counter = requests.labels(operation, String(status));
    series.requests.set(status, counter);
  }
  series.latency.observe(durationMs / 1_000);
  counter.inc();
}

export function limitDecided(outcome: string, plan: string): void {
  const name = `${outcome} ${plan}`;
  let counter = countersByDecision.get(name);
  if (!counter) {
    counter = decisions.labels(outcome, plan);
    countersByDecision.set(name, counter);
  }
  counter.inc();
}

export function serveMetrics(port: number): void {
  collectDefaultMetrics({ register: registry });
  createServer((_request, response) => {
    void registry
      .metrics()
      .then((text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text));
  }).listen(port, '127.0.0.1');
}
