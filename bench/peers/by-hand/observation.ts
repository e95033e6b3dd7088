import { randomBytes } from 'node:crypto';
import { write } from 'node:fs';
import { createServer } from 'node:http';
import { collectDefaultMetrics, Counter, Histogram, register } from 'prom-client';

const FIT_ID = /^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]{1,128}$/;
const BUCKETS_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 15_000];

const latency = new Histogram({
  ...{ name: 'animal_store_http_request_duration_seconds', help: 'Time to the end of the response.' },
  ...{ labelNames: ['operation'], buckets: BUCKETS_MS.map((ms) => ms / 1_000) },
});
const requests = new Counter({
  ...{ name: 'animal_store_http_requests_total', help: 'Requests.', labelNames: ['operation', 'status'] },
});
const processPart = randomBytes(8).toString('hex');
let made = 0;

export function requestIdFrom(header: string | string[] | undefined): string {
  const isUsable = typeof header === 'string' && FIT_ID.test(header) && !header.includes('ask_');
  return isUsable ? header : `${processPart}-${(++made).toString(36)}`;
}

const STDOUT = 1;
const BATCH_CHARACTERS = 16_000;
const MAX_WAIT_MS = 100;
let waiting = '';
let isWriting = false;
let timer: NodeJS.Timeout | null = null;

/** Lines are written together. pino's destination would make one text of all waiting lines for each further line. */
function writeLine(line: string): void {
  waiting += line;
  if (waiting.length >= BATCH_CHARACTERS) writeBatch();
  else timer ??= setTimeout(writeBatch, MAX_WAIT_MS).unref();
}

function writeBatch(): void {
  if (isWriting) return;
  if (timer) clearTimeout(timer);
  timer = null;
  const batch = Buffer.from(waiting);
  waiting = '';
  isWriting = true;
  write(STDOUT, batch, (error, written) => {
    isWriting = false;
    if (error) throw error;
    if (written < batch.length) waiting = batch.toString('utf8', written) + waiting;
    if (waiting !== '') writeLine('');
  });
}

export interface Received {
  readonly requestId: string;
  readonly keyId: string | null;
  readonly startedAtMs: number;
}

/** What writes the log line and counts a request of an operation when its response has ended. */
export function observer(method: string, route: string): (received: Received, status: number) => void {
  // prom-client takes longer to find what belongs to labels than to count.
  const latencies = latency.labels(`${method} ${route}`);
  const counts = new Map<number, Counter.Internal>();
  return ({ requestId, keyId, startedAtMs }, status) => {
    const durationMs = performance.now() - startedAtMs;
    writeLine(
      `{"level":"${status >= 500 ? 'error' : 'info'}","time":${Date.now()},"requestId":"${requestId}"` +
        `,"keyId":${keyId === null ? 'null' : `"${keyId}"`},"method":"${method}","route":"${route}"` +
        `,"status":${status},"durationMs":${Math.round(durationMs * 1_000) / 1_000}}\n`,
    );
    latencies.observe(durationMs / 1_000);
    if (!counts.has(status)) counts.set(status, requests.labels(`${method} ${route}`, String(status)));
    counts.get(status)!.inc();
  };
}

export function serveMetrics(port: number): void {
  collectDefaultMetrics();
  createServer((_request, response) => {
    void register.metrics().then((text) => response.end(text));
  }).listen(port, '127.0.0.1');
}
