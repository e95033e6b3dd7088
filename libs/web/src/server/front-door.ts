import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as NetServer } from 'node:net';
import { escapeMalformedPath, type HttpError, httpErrorFrom, RouteNotFound } from '@animal-store/http-errors';
import { factsOf } from '../request-facts.js';
import { refuse } from '../responses/error.mapper.js';
import { Connection } from './connection.js';
import { nodeInternals } from './node/node-internals.js';
import { sendUnder } from './public-path.js';
import { hasUnknownEnd, requestHeadError, UNREADABLE_TARGET } from './request-head.js';
import { ResponseQueue } from './response-queue.js';
import { TurnQueue } from './turn-queue.js';
import { refuseUnreadable } from './unreadable-requests.js';

/** How often the time limits of connections are checked. */
const CHECK_MS = 1_000;
/**
 * The maximum number of open requests of one connection. The data that was already read may contain more requests than
 * are served at the same time; the others wait. A connection with more open requests than this is closed.
 */
export const MAX_OPEN = 1_000;

/** The server stops listening when no connection has arrived for this time. */
export const ACCEPT_QUIET_MS = 20;
/** After this time the server stops listening in any case. */
export const ACCEPT_LIMIT_MS = 500;
/**
 * How long idle connections stay open after that. The next request may already be on its way on one of them; it is
 * served and its response has `Connection: close`. `close` of an HTTP server would close these connections at once and
 * lose such requests.
 */
export const IDLE_GRACE_MS = 500;
/** How often idle connections are closed while the last requests finish. */
const SWEEP_INTERVAL_MS = 50;

/** Observes requests. Each served request starts once and finishes once, even if its connection closes. */
export interface RequestWatch {
  started(request: IncomingMessage, response: ServerResponse): void;
  /** Called when the response has been sent, or can no longer be sent. */
  finished(request: IncomingMessage, response: ServerResponse): void;
  /** A connection has closed while `count` of its requests were waiting. They were never handled. */
  unserved(count: number): void;
  /**
   * A connection was closed because too many were open, or because too many requests were open on it, or on all
   * connections together.
   */
  dropped(reason: 'too many connections' | 'too many requests'): void;
}

const ROUTE_NOT_FOUND = httpErrorFrom(new RouteNotFound());

/** The limits of one client. Times are in milliseconds. */
export interface ServerLimits {
  readonly maxConnections: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
}

export interface DoorParts {
  readonly server: Server;
  /** Serves a request. It calls `next` when nothing has its path, and with an error for an unreadable path. */
  readonly handle: (
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ) => void;
  /** Counts a request and sets the limit headers. It throws, or rejects with, 429 when no request is left. */
  readonly count: (request: IncomingMessage, response: ServerResponse) => true | Promise<true>;
  /** What a proxy removes from the paths that it forwards: `/store`. None by default. */
  readonly publicPath?: string;
}

/**
 * Everything between a socket and the first guard: the connections of a server, the bounds of each client in time,
 * sockets and memory, and in which turn of the event loop a request is served. It runs before Express, where a
 * middleware would run later and cost each request a step.
 */
export class FrontDoor {
  private readonly all = new Map<Socket, Connection>();
  private openCount = 0;
  /** The number of connections with an open request. The first request of each is not pipelined. */
  private busyCount = 0;
  private isDraining = false;
  private readonly queue = new TurnQueue<Connection>((connection) => this.serveOne(connection));
  private readonly responses = new ResponseQueue();
  private readonly onClose: (this: ServerResponse) => void;
  private parts!: DoorParts;

  constructor(
    private readonly limits: ServerLimits,
    private readonly watch: RequestWatch,
    private readonly node = nodeInternals(),
  ) {
    // One listener for all responses. A closure for each would be garbage.
    const end = (response: ServerResponse) => this.end(response);
    this.onClose = function () {
      end(this);
    };
  }

  /**
   * Takes over the requests of a server. They are served when all of a turn of the event loop have been read: a few of
   * each connection in a turn, and each in the asynchronous context in which it was read.
   */
  open(parts: DoorParts): void {
    this.parts = parts;
    const { server } = parts;
    this.limit(server);
    server.on('drop', () => this.watch.dropped('too many connections'));
    server.on('connection', (socket: Socket) => this.opened(socket));
    server.removeAllListeners('request');
    server.on('request', (request, response) => this.read(request, response));
    // Requests with an `Expect` header are served like all others (RFC 9110, section 10.1.1). The 100 is sent when the
    // body is read: a refused request does not need it. Node would send a 417 without a body to any other expectation.
    for (const event of ['checkContinue', 'checkExpectation']) {
      server.on(event, (request: IncomingMessage, response: ServerResponse) =>
        server.emit('request', request, response),
      );
    }
    refuseUnreadable(server, this);
    const check = setInterval(() => this.closeQuiet(performance.now()), CHECK_MS).unref();
    server.on('close', () => clearInterval(check));
  }

  get openRequests(): number {
    return this.openCount;
  }

  /** The warning for the operator when this Node is unknown; otherwise null. */
  get problem(): string | null {
    return this.node.problem;
  }

  connectionOf(socket: Socket): Connection | undefined {
    return this.all.get(socket);
  }

  /**
   * Adds a response to input that could not be read as a request. It is sent after all earlier responses.
   *
   * @returns false when the connection is closing or closed, also when this made one open request too many
   */
  startUnreadable(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.begin(request, response)?.next() !== response) return false;
    this.watch.started(request, response);
    return true;
  }

  /**
   * Responds to what cannot be read as a request. It is counted, as far as its caller is known, like a request without
   * a key. The response closes the connection.
   */
  refuse(response: ServerResponse, error: HttpError): void {
    response.shouldKeepAlive = false;
    const counted = new Promise((resolve) => resolve(this.parts.count(response.req, response)));
    void counted.then(
      () => refuse(response, error),
      (refusal: unknown) => refuse(response, httpErrorFrom(refusal)),
    );
  }

  /**
   * Serves what has arrived, and closes every connection: after its open responses or the next one (RFC 9112, section
   * 9.6), or by force after the grace period.
   *
   * @returns how many requests were still running then
   */
  async drain(graceMs: number): Promise<number> {
    const { server } = this.parts;
    await acceptWaiting(server);
    this.isDraining = true;
    for (const connection of this.all.values()) connection.closeAfterOpen();
    let aborted = 0;
    return new Promise((resolve) => {
      const closeIdle = (): void => {
        server.closeIdleConnections();
        // For Node, a connection that has never sent a byte is not idle.
        for (const socket of this.all.keys()) if (socket.bytesRead === 0) socket.destroy();
        sweep = setTimeout(readFirst, SWEEP_INTERVAL_MS);
      };
      // A turn of the event loop may take longer than that. What has arrived meanwhile is read before the check phase.
      const readFirst = (): void => void (closing = setImmediate(closeIdle));
      let closing: NodeJS.Immediate | undefined;
      let sweep = setTimeout(readFirst, IDLE_GRACE_MS);
      const deadline = setTimeout(() => {
        aborted = this.openCount;
        // Node does not track connections that requested a tunnel.
        for (const socket of this.all.keys()) socket.destroy();
      }, graceMs);
      NetServer.prototype.close.call(server, () => {
        clearTimeout(sweep);
        clearImmediate(closing);
        clearTimeout(deadline);
        resolve(aborted);
      });
    });
  }

  /** Closes the connections without progress for too long, even if bytes arrive. */
  closeQuiet(nowMs: number): void {
    const stalledAfterMs = 2 * this.stalledMs;
    // Later than Node's own time-out, which any byte restarts.
    const idleAfterMs = this.limits.keepAliveTimeoutMs + 2_000;
    for (const connection of this.all.values()) {
      const limitMs = connection.open.length > 0 ? stalledAfterMs : idleAfterMs;
      if (connection.quietMs(nowMs) > limitMs) connection.socket.destroy();
    }
  }

  private limit(server: Server): void {
    server.headersTimeout = this.limits.headersTimeoutMs;
    server.requestTimeout = this.limits.requestTimeoutMs;
    server.keepAliveTimeout = this.limits.keepAliveTimeoutMs;
    // A connection that neither sends nor receives for this time is closed, such as when its client does not read.
    server.timeout = this.stalledMs;
    server.on('timeout', (socket: Socket) => {
      if (this.connectionOf(socket)?.isWaiting) socket.setTimeout(server.timeout);
      else socket.destroy();
    });
    server.maxConnections = this.limits.maxConnections;
    // With a limit Node would silently drop further headers. Such requests are refused instead.
    server.maxHeadersCount = 0;
    this.node.allowHalfOpen(server);
  }

  /**
   * How long a client may stop reading a response. Node waits once more when the kernel has accepted some of what it
   * had to send, which is so after the first writes of every large response.
   */
  private get stalledMs(): number {
    return 2 * this.limits.requestTimeoutMs;
  }

  private opened(socket: Socket): void {
    const connection = new Connection(socket, this.node);
    this.all.set(socket, connection);
    this.responses.add(socket);
    socket.on('close', () => {
      // Node first closes the response that has the socket.
      process.nextTick(() => {
        const unserved = connection.abandon();
        this.all.delete(socket);
        if (unserved > 0) this.watch.unserved(unserved);
      });
    });
  }

  private read(request: IncomingMessage, response: ServerResponse): void {
    const facts = factsOf(request);
    facts.headError = requestHeadError(request);
    // What follows such a request is not parsed.
    if (facts.headError !== null || hasUnknownEnd(request)) response.shouldKeepAlive = false;
    const connection = this.begin(request, response);
    if (connection !== null) this.queue.add(connection, connection.open.length === 1);
  }

  /** @returns null when the connection is closing or closed, also when this made one open request too many */
  private begin(request: IncomingMessage, response: ServerResponse): Connection | null {
    const { socket } = request;
    const connection = this.connectionOf(socket);
    if (!connection?.acceptsMore) {
      this.node.stopParsing(socket);
      // On an unknown Node version the parser continues, and would wait for the body.
      request.resume();
      if (connection && ++connection.ignored > MAX_OPEN) socket.destroy();
      return null;
    }
    if (this.isDraining) response.shouldKeepAlive = false;
    connection.add(response);
    this.openCount++;
    if (connection.open.length === 1) this.busyCount++;
    response.on('close', this.onClose);
    if (this.parts.publicPath) sendUnder(this.parts.publicPath, response);
    if (!this.hasTooMany(connection)) return connection;
    this.watch.dropped('too many requests');
    socket.destroy();
    return null;
  }

  private hasTooMany({ open }: Connection): boolean {
    if (open.length > MAX_OPEN) return true;
    return open.length > 1 && this.openCount - this.busyCount > this.limits.maxConnections;
  }

  private serveOne(connection: Connection): void {
    const response = connection.next();
    if (response === null) return;
    if (connection.hasUnserved) this.queue.add(connection, false);
    const { context, headError } = factsOf(response.req);
    context.runInAsyncScope(this.serve, undefined, response, headError);
  }

  private readonly serve = (response: ServerResponse, headError: HttpError | null): void => {
    const { req: request } = response;
    this.watch.started(request, response);
    if (headError !== null) return this.refuse(response, headError);
    escapeMalformedPath(request);
    this.parts.handle(request, response, (error) =>
      this.refuse(response, error === undefined ? ROUTE_NOT_FOUND : UNREADABLE_TARGET),
    );
  };

  private end(response: ServerResponse): void {
    const { req: request } = response;
    const connection = this.connectionOf(request.socket);
    const wasServed = connection?.remove(response) ?? null;
    if (connection === undefined || wasServed === null) return;
    this.openCount--;
    if (connection.open.length === 0) this.busyCount--;
    if (wasServed) this.watch.finished(request, response);
    if (connection.hasUnserved) this.queue.add(connection, false);
  }
}

/**
 * Accepts the connections that the kernel has accepted already: when the server stops listening, it resets them.
 * Resolves after a moment without a new one. Responses leave their connections open until then, as their callers would
 * connect again.
 */
async function acceptWaiting(server: Server): Promise<void> {
  const untilMs = performance.now() + ACCEPT_LIMIT_MS;
  let hasAccepted: boolean;
  const onConnection = (): void => void (hasAccepted = true);
  server.on('connection', onConnection);
  do {
    hasAccepted = false;
    await new Promise((resolve) => setTimeout(resolve, ACCEPT_QUIET_MS));
    // A turn of the event loop may take longer. A whole one has polled for connections.
    await new Promise(setImmediate);
  } while (hasAccepted && performance.now() < untilMs);
  server.off('connection', onConnection);
}
