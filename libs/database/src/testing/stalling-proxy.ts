import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between a client and PostgreSQL, and can stop passing anything on, or only the responses, while every
 * connection stays open.
 */
export class StallingProxy {
  private readonly sockets = new Set<Socket>();
  /** Those of the sockets that lead to PostgreSQL. */
  private readonly upstream = new WeakSet<Socket>();
  private isStalled = false;
  private areResponsesDelayed = false;

  private constructor(private readonly server: Server) {}

  /** @param url of the server */
  static async start(url: string): Promise<StallingProxy> {
    const { hostname, port } = new URL(url);
    const server = createServer();
    const proxy = new StallingProxy(server);
    server.on('connection', (socket) => {
      const upstream = connect(Number(port), hostname);
      proxy.upstream.add(upstream);
      proxy.join(socket, upstream);
      proxy.join(upstream, socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** The same database by way of this proxy. */
  urlOf(url: string): string {
    const through = new URL(url);
    through.port = `${(this.server.address() as AddressInfo).port}`;
    return through.href;
  }

  stall(): void {
    this.isStalled = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** PostgreSQL still gets all statements. */
  delayResponses(): void {
    this.areResponsesDelayed = true;
    for (const socket of this.sockets) if (this.upstream.has(socket)) socket.pause();
  }

  resume(): void {
    this.isStalled = false;
    this.areResponsesDelayed = false;
    for (const socket of this.sockets) socket.resume();
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('error', () => to.destroy());
    from.on('data', (data) => to.write(data));
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    if (this.isStalled || (this.areResponsesDelayed && this.upstream.has(from))) from.pause();
  }
}
