import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as Standard } from 'standardwebhooks';

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly atMs: number;
}

/** What receives webhooks, on the loopback interface. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Responds to a request; without a response it stays open. */
  respond: (request: Received, response: ServerResponse) => void = (_, response) =>
    void response.writeHead(204).end();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.receive(request, response));
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new WebhookReceiver(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The URL of this path. */
  url(path = '/'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The bodies that it got at this path, in that order. */
  events(path = '/'): { type: string; timestamp: string; data: Record<string, unknown> }[] {
    return this.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as never);
  }

  async stop(): Promise<void> {
    const closed = once(this.server.close(), 'close');
    this.server.closeAllConnections();
    await closed;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part as string;
    const headers = request.headers as Record<string, string>;
    const received = { path: request.url!, headers, body, atMs: Date.now() };
    this.received.push(received);
    this.respond(received, response);
  }
}

/**
 * Verifies a request with the reference implementation of Standard Webhooks.
 * @throws Error when no signature is right, or its time is not now
 */
export function verify({ headers, body }: Received, secret: string): unknown {
  return new Standard(secret).verify(body, headers);
}
