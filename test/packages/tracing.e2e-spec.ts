import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '@animal-store/database/testing';
import { RedisServer } from '@animal-store/rate-limiting/testing';
import { RawConnection, SERVED_A_TURN } from '@animal-store/web/testing';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { runProgram, ServerProcess, within } from '../support/server-process.js';
import { ROOT, run } from './packed-client.js';

const MINUTES_MS = 60_000;
const PACKAGES = join(ROOT, 'test/packages/tracing');
/** What the documentation says to start the service with. */
const [, INSTALLED, FLAGS] =
  /npm install --no-save (\S+)\n.*\nnode (.*) dist\/src\/main\.js\n/.exec(
    readFileSync(join(ROOT, 'docs/operating/run.md'), 'utf8'),
  ) ?? [];

/** As in the JSON of OTLP. */
interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const SERVER = 2;
/** Of @opentelemetry/instrumentation-nestjs-core: it ends after the response. */
const HANDLER = 'request handler - /v1/pets';

/** Receives spans as an OpenTelemetry collector does. */
class Collector {
  spans: Span[] = [];
  private readonly server: Server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(text) as Export;
      this.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.server.listen(0, '127.0.0.1');
    await once(collector.server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The spans of a trace, when the one of its request has come, and one of this name: each comes when it has ended. */
  trace(traceId: string, name?: string): Promise<Trace> {
    return within(MINUTES_MS, () => {
      const spans = this.spans.filter((span) => span.traceId === traceId);
      const hasAll = name === undefined || spans.some((span) => span.name === name);
      return hasAll && spans.some(({ kind }) => kind === SERVER) && new Trace(spans);
    });
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

class Trace {
  constructor(readonly spans: readonly Span[]) {}

  get request(): Span {
    return this.spans.find(({ kind }) => kind === SERVER)!;
  }

  named(name: RegExp): Span | undefined {
    return this.spans.find((span) => name.test(span.name));
  }

  isWithinRequest({ parentSpanId }: Span): boolean {
    if (parentSpanId === this.request.spanId) return true;
    const parent = this.spans.find(({ spanId }) => spanId === parentSpanId);
    return parent !== undefined && this.isWithinRequest(parent);
  }
}

function attribute(span: Span, key: string): string | number | undefined {
  const { stringValue, intValue } = span.attributes.find((one) => one.key === key)?.value ?? {};
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue));
}

/** A trace that a caller has begun. */
let begun = 0;
function beginTrace() {
  const traceId = `4bf92f3577b34da6a3ce929d${(++begun).toString(16).padStart(8, '0')}`;
  return { traceId, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
}

/** More than all tests send in a minute. */
const LIMITS = ['--per-minute', '100000', '--per-day', '1000000'];

describe('The service with the auto-instrumentations of OpenTelemetry', () => {
  let folder: string;
  let collector: Collector;
  let postgres: PostgresServer;
  let redis: RedisServer;
  let server: ServerProcess;
  let key: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tracing-'));
    cpSync(PACKAGES, folder, { recursive: true });
    await run(folder, ['npm', 'ci', '--prefer-offline', '--ignore-scripts']);
    [collector, postgres, redis] = await Promise.all([
      Collector.start(),
      PostgresServer.start(),
      RedisServer.start(),
    ]);
    const settings = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const words = ['create', '--name', 'traced', '--plan', 'enterprise', ...LIMITS, '--json'];
    const created = await runProgram('keys.js', words, { folder, environment: settings });
    ({ key } = JSON.parse(created.stdout) as { key: string });
    server = await ServerProcess.start({
      folder,
      entry: 'src/main.js',
      nodeFlags: FLAGS!.split(' '),
      environment: {
        ...settings,
        OUTGOING_ALLOW_PRIVATE: 'true',
        OTEL_SERVICE_NAME: 'animal-store',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '50',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
      },
    });
  }, 5 * MINUTES_MS);

  afterAll(async () => {
    await server?.stop();
    collector?.stop();
    await Promise.all([postgres?.stop(), redis?.stop()]);
    rmSync(folder, { recursive: true });
  });

  function send(path: string, headers: Record<string, string>, body?: object): Promise<Response> {
    return fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      body: body && JSON.stringify(body),
    });
  }

  it('is started with what the documentation installs', () => {
    const { dependencies } = JSON.parse(readFileSync(join(PACKAGES, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const name = '@opentelemetry/auto-instrumentations-node';
    expect(INSTALLED).toBe(`${name}@${dependencies[name]}`);
  });

  it('has a span for a request in the trace of its caller, with its calls of PostgreSQL and Redis in it', async () => {
    const { traceId, traceparent } = beginTrace();
    await send('/v1/pets', { traceparent }, { name: 'Rex', categoryId: 1 });

    const trace = await collector.trace(traceId);
    expect(trace.request.name).toBe('POST /v1/pets');
    expect(trace.request.parentSpanId).toBe('00f067aa0ba902b7');
    expect(attribute(trace.request, 'http.route')).toBe('/v1/pets');
    expect(attribute(trace.request, 'http.response.status_code')).toBe(201);
    for (const call of [/^evalsha/, /^pg\.query/]) {
      const span = trace.named(call);
      expect(span && trace.isWithinRequest(span)).toBe(true);
    }
  });

  it.each([
    ['/v1/pets/999999', '/v1/pets/:petId', 404],
    ['/v1/pets?limit=0', '/v1/pets', 400],
    ['/health/ready', '/health/ready', 200],
  ])('says the route and the status of %s', async (path, route, status) => {
    const { traceId, traceparent } = beginTrace();
    await send(path, { traceparent });

    const { request } = await collector.trace(traceId);
    expect([attribute(request, 'http.route'), attribute(request, 'http.response.status_code')]).toEqual([
      route,
      status,
    ]);
  });

  it('begins a trace for a request that is in none, and logs every request under its trace', async () => {
    const requestId = 'in-no-trace';
    await send('/v1/pets', { 'X-Request-Id': requestId });

    const line = await within(MINUTES_MS, () =>
      server.stdout.split('\n').find((one) => one.includes(`"requestId":"${requestId}"`)),
    );
    const { trace_id: traceId } = JSON.parse(line) as { trace_id: string };
    expect((await collector.trace(traceId)).request.name).toBe('GET /v1/pets');
  });

  it.each([
    ['pipelined requests', 1, 60, 'GET', ''],
    ['requests that expect a 100', 1, 20, 'POST', 'Expect: 100-continue\r\n'],
    ['20 connections', 20, 60, 'GET', ''],
  ])(
    'has the spans and the log line of %s in the trace of each',
    async (_, connections, count, method, expectation) => {
      const body = method === 'POST' ? '{"name":"Rex","categoryId":1}' : '';
      const sent = Array.from({ length: connections }, () => Array.from({ length: count }, beginTrace));
      await Promise.all(
        sent.map(async (traces) => {
          const requests = traces.map(
            ({ traceId, traceparent }) =>
              `${method} /v1/pets HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${traceId}\r\ntraceparent: ${traceparent}\r\n${expectation}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          );
          const connection = await RawConnection.open(server.port);
          await connection.send(requests.join('')).until(expectation === '' ? count : 2 * count);
          connection.close();
        }),
      );

      const wrong: unknown[] = [];
      for (const { traceId } of sent.flat()) {
        const { spans } = await collector.trace(traceId, HANDLER);
        const requests = spans.filter(({ kind }) => kind === SERVER);
        const handled = spans.filter(({ name }) => name === HANDLER);
        // It may come after the spans.
        const line = await within(MINUTES_MS, () =>
          server.stdout.split('\n').find((one) => one.includes(`"requestId":"${traceId}"`)),
        );
        const isOwn =
          requests.length === 1 && handled.length === 1 && line.includes(`"trace_id":"${traceId}"`);
        if (!isOwn) wrong.push({ traceId, spans: spans.map(({ name }) => name), line });
      }
      expect(wrong).toEqual([]);
    },
    2 * MINUTES_MS,
  );

  it('sends nothing of a caller to receivers of others, and delivers in traces of its own', async () => {
    const receiver = await WebhookReceiver.start();
    const url = receiver.url();
    const made = await send('/v1/webhooks', {}, { url, events: ['animal.added'] });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: number };
    await within(MINUTES_MS, () => receiver.received.length === 1);
    await within(MINUTES_MS, async () => {
      const webhook = (await (await send(`/v1/webhooks/${id}`, {})).json()) as { status: string };
      return webhook.status === 'enabled';
    });
    const callers = ['B-secret', 'C-secret'].flatMap((customer) =>
      Array.from({ length: 10 }, () => ({ ...beginTrace(), customer })),
    );
    for (const { traceparent, customer } of callers)
      await send(
        '/v1/pets',
        { traceparent, baggage: `customer=${customer}` },
        { name: 'Rex', categoryId: 1 },
      );
    await within(
      MINUTES_MS,
      () => receiver.events().filter(({ type }) => type === 'animal.added').length >= 20,
    );
    await receiver.stop();

    const names = receiver.received.flatMap(({ headers }) => Object.keys(headers));
    for (const name of ['traceparent', 'tracestate', 'baggage', 'b3']) expect(names).not.toContain(name);
    expect(JSON.stringify(receiver.received)).not.toContain('secret');
    const ofCallers = new Set(callers.map(({ traceId }) => traceId));
    const isToReceiver = (span: Span) =>
      [attribute(span, 'url.full'), attribute(span, 'http.url')].some((to) => String(to).startsWith(url));
    const deliveries = await within(MINUTES_MS, () => {
      const found = collector.spans.filter((span) => span.kind !== SERVER && isToReceiver(span));
      return found.length > 20 && found;
    });
    expect(deliveries.filter(({ traceId }) => ofCallers.has(traceId))).toEqual([]);
    // Each is within a span that leads to the request that has caused the event.
    const causes = await within(MINUTES_MS, () => {
      const around = collector.spans.filter(({ name }) => name === 'webhook delivery');
      const linked = new Set(around.flatMap(({ links = [] }) => links.map(({ traceId }) => traceId)));
      return callers.every(({ traceId }) => linked.has(traceId)) && around;
    });
    const ids = new Set(causes.map(({ spanId }) => spanId));
    expect(deliveries.every(({ parentSpanId }) => ids.has(parentSpanId ?? ''))).toBe(true);
    expect(causes.filter(({ parentSpanId }) => parentSpanId)).toEqual([]);
  });

  it('leads from each request to the call that it shares with others', async () => {
    // The first one may be served alone.
    const together = Array.from({ length: SERVED_A_TURN + 1 }, beginTrace);
    const heads = together.map(
      ({ traceparent }) =>
        `GET /v1/pets/1 HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer ${key}\r\ntraceparent: ${traceparent}\r\n\r\n`,
    );
    const connection = await RawConnection.open(server.port);
    await connection.send(heads.join('')).until(together.length);
    connection.close();

    const traces = await Promise.all(together.map(({ traceId }) => collector.trace(traceId)));
    const sharedOf = ({ spans }: Trace) => spans.filter(({ name }) => name === 'shared call');
    // The first request may be served, and call alone, before the others are read.
    const [shared] = traces.flatMap((trace) => {
      const call = trace.named(/^evalsha/);
      return sharedOf(trace).filter(({ spanId }) => spanId === call?.parentSpanId);
    });
    const linked = traces.filter((trace) => {
      const link = sharedOf(trace).find(({ links }) => links?.[0]?.spanId === shared!.spanId);
      return link !== undefined && trace.isWithinRequest(link);
    });
    expect(linked.length).toBeGreaterThan(0);
    expect(attribute(shared!, 'requests')).toBe(linked.length + 1);
    for (const trace of traces) {
      expect(trace.spans.every((span) => span === trace.request || trace.isWithinRequest(span))).toBe(true);
    }
  });
});
