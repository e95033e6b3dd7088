import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { Registry } from 'prom-client';
import { Database } from '@animal-store/database';
import { deprecatedOperation } from '@animal-store/deprecation';
import { RouteTable } from '@animal-store/http-errors';
import { Streams } from '@animal-store/web';
import { Readiness } from '../health/readiness.js';
import { OperationsOptions } from '../operations.options.js';
import { RequestObserver } from '../request-observer.js';
import { Metrics, type Sample } from './metrics.js';

/** Serves the metrics on a separate port, so that callers of the API cannot read them. */
@Injectable()
export class MetricsServer implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = createServer((request, response) => {
    this.respond(request, response).catch(() => response.destroy());
  });

  constructor(
    private readonly options: OperationsOptions,
    private readonly metrics: Metrics,
    private readonly routes: RouteTable,
    private readonly database: Database,
    private readonly observer: RequestObserver,
    private readonly readiness: Readiness,
    private readonly streams: Streams,
  ) {}

  /** The port it listens on, or null when metrics are off. */
  get port(): number | null {
    return (this.server.address() as AddressInfo | null)?.port ?? null;
  }

  onModuleInit(): void {
    const { database, metrics, options, readiness, streams } = this;
    metrics.gauge('streams_open', 'Responses that stay open.', () => [[streams.count]]);
    const dropped = 'Log lines dropped because standard output was not read fast enough.';
    metrics.counter('log_lines_dropped_total', dropped, () => [[options.logger.droppedLines]]);
    const ready = 'Whether this server should receive requests, as its readiness says.';
    metrics.gauge('ready', ready, async () => [[(await readiness.check()).ready ? 1 : 0]]);
    metrics.gauge(
      'dependency_up',
      'Whether the database responds, and Redis when it is used.',
      async () => {
        const { database, redis } = await readiness.check();
        const ofRedis: Sample[] = redis === 'off' ? [] : [['redis', redis === 'up' ? 1 : 0]];
        return [['database', database === 'down' ? 0 : 1], ...ofRedis];
      },
      'dependency',
    );
    metrics.gauge(
      'redis_node_up',
      'Whether a primary of the Redis Cluster responds.',
      async () => [...(await readiness.check()).redisNodes].map(([node, isUp]) => [node, isUp ? 1 : 0]),
      'node',
    );
    metrics.gauge('database_log_bytes', 'Size of the write-ahead log of the SQLite database.', () =>
      database.logBytes === null ? [] : [[database.logBytes]],
    );
    metrics.gauge('database_disk_free_bytes', 'Free space on the disk of the SQLite database.', () => {
      const { freeDiskBytes } = database;
      return freeDiskBytes === null ? [] : [[freeDiskBytes]];
    });
    metrics.gauge(
      'database_connections',
      'Connections to PostgreSQL: those that are open, and the maximum of this server.',
      () => {
        const { connections } = database;
        if (connections === null) return [];
        return [
          ['open', connections.open],
          ['wanted', connections.wanted],
        ];
      },
      'state',
    );
    metrics.gauge(
      'database_queue_length',
      'Writes that wait for the SQLite database, or requests that wait for a connection to PostgreSQL.',
      () => [[database.queueLength]],
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.options.metrics;
    if (port === null) return;
    const { routes } = this.routes;
    const deprecated = routes.flatMap(({ handler }) => deprecatedOperation(handler)?.name ?? []);
    this.metrics.startOperations(this.observer.operations, deprecated);
    this.server.listen(port, host);
    await once(this.server, 'listening');
  }

  private async respond({ url, method }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url !== '/metrics') return void response.writeHead(404).end();
    if (method !== 'GET' && method !== 'HEAD')
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    const text = await this.metrics.registry.metrics();
    response.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
  }

  onApplicationShutdown(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
