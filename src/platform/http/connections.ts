import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How often connections are held against their time limits. */
const CHECK_MS = 1_000;
/** So many requests of one connection are served at a time. While there are as many, nothing more is read from it. */
export const SERVED_AT_ONCE = 32;
/** What has been read can hold more. Those wait for their turn, but a connection with more than this is closed. */
export const OPEN_AT_MOST = 1_000;
/** Reading starts again when no more than this are left. */
const RESUMED_AT = SERVED_AT_ONCE / 2;

/** Each request that is served begins once and ends once, whatever becomes of its connection. */
export interface RequestWatch {
  started(request: IncomingMessage, response: ServerResponse): void;
  /** Its response has left or never will. */
  finished(request: IncomingMessage, response: ServerResponse): void;
  /** A connection has closed while `count` of its requests waited for their turn. Nobody has seen them. */
  unserved(count: number): void;
  /** A connection has been closed because it, or all of them together, had too many requests open. */
  overloaded(): void;
}

export interface ConnectionBounds {
  /** Requests of all connections together that are open behind another of their connection. */
  readonly pipelinedInAll: number;
  /** A connection on which no request begins or ends for so long is closed, if one is open … */
  readonly stalledAfterMs: number;
  /** … and if none is. */
  readonly idleAfterMs: number;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** One client's connection, and its requests that have begun and not ended. */
export class Connection {
  /** In the order of their requests, which is that in which they leave. */
  readonly open: ServerResponse[] = [];
  /** How many of them are being served: the first ones. */
  private served = 0;
  private unserved = 0;
  private isPaused = false;
  private events = 0;
  private eventsSeen = -1;
  private quietSinceMs = 0;

  constructor(readonly socket: Socket) {
    // For good: Node takes its own listener away when it hands the socket over (`connect`, `upgrade`).
    socket.on('error', () => undefined);
    // Whoever reads a body resumes the whole connection.
    socket.on('resume', () => {
      if (this.isPaused) socket.pause();
    });
  }

  add(response: ServerResponse): void {
    this.events++;
    this.open.push(response);
    if (this.open.length < SERVED_AT_ONCE || this.isPaused) return;
    this.isPaused = true;
    this.socket.pause();
  }

  /** The first that waits, if it may be served now. It counts as served from here on. */
  next(): ServerResponse | null {
    if (this.served >= Math.min(SERVED_AT_ONCE, this.open.length) || this.socket.destroyed) return null;
    return this.open[this.served++]!;
  }

  /** @returns whether it was being served, or null when it has left before */
  remove(response: ServerResponse): boolean | null {
    const index = this.open.indexOf(response);
    if (index === -1) return null;
    const wasServed = index < this.served;
    if (wasServed) this.served--;
    else this.unserved++;
    this.events++;
    if (index === 0) this.open.shift();
    else this.open.splice(index, 1);
    if (this.isPaused && this.open.length <= RESUMED_AT) {
      this.isPaused = false;
      this.socket.resume();
    }
    return wasServed;
  }

  /** To be asked again and again: how long no request has begun or ended. */
  quietMs(nowMs: number): number {
    if (this.events !== this.eventsSeen) {
      this.eventsSeen = this.events;
      this.quietSinceMs = nowMs;
    }
    return nowMs - this.quietSinceMs;
  }

  /**
   * The socket has closed. Node says so only to the response that had it, not to those that waited for it.
   *
   * @returns how many requests were never served
   */
  abandon(): number {
    for (const response of [...this.open]) {
      if (response.closed) continue;
      response.destroy();
      response.emit('close');
    }
    return this.unserved;
  }
}

/** The connections of a server. They bound what each may take, and end its requests with it. */
export class Connections {
  private readonly bySocket = new Map<Socket, Connection>();
  private openCount = 0;
  /** Connections with an open request: their first ones are not pipelined. */
  private busyCount = 0;
  private isDraining = false;
  private readonly onClose: (this: ServerResponse) => void;
  private serve: Serve = () => undefined;

  constructor(
    private readonly bounds: ConnectionBounds,
    private readonly watch: RequestWatch,
  ) {
    // One function for all requests: a closure each would be garbage each.
    const end = (response: ServerResponse) => this.end(response);
    this.onClose = function () {
      end(this);
    };
  }

  /** Takes the requests of `server` to `serve`, each in its turn. */
  guard(server: Server, serve: Serve): void {
    this.serve = serve;
    server.on('connection', (socket: Socket) => this.opened(socket));
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.accept(request, response),
    );
    const check = setInterval(() => this.closeQuiet(performance.now()), CHECK_MS).unref();
    server.on('close', () => clearInterval(check));
  }

  get openRequests(): number {
    return this.openCount;
  }

  /** The connection's responses that have not left, in the order of their requests. */
  openOn(socket: Socket): readonly ServerResponse[] {
    return this.bySocket.get(socket)?.open ?? [];
  }

  /**
   * What came could not be read as a request, and nothing after it can: it is answered behind all others.
   *
   * @returns false when the connection is closed, or is now for having too many
   */
  beginUnreadable(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.begin(request, response)?.next() !== response) return false;
    this.watch.started(request, response);
    return true;
  }

  /** From now on every response closes its connection (`Connection: close`, RFC 9112 section 9.6). */
  closeAfterResponses(): void {
    this.isDraining = true;
    for (const { open } of this.bySocket.values()) {
      for (const response of open) response.shouldKeepAlive = false;
    }
  }

  /** Closes the connections on which nothing has been sent yet. */
  closeUnused(): void {
    for (const socket of this.bySocket.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  closeAll(): void {
    for (const socket of this.bySocket.keys()) socket.destroy();
  }

  /** Closes the connections on which nothing has come to an end for too long, whatever bytes were sent. */
  closeQuiet(nowMs: number): void {
    const { stalledAfterMs, idleAfterMs } = this.bounds;
    for (const connection of this.bySocket.values()) {
      const limitMs = connection.open.length > 0 ? stalledAfterMs : idleAfterMs;
      if (connection.quietMs(nowMs) > limitMs) connection.socket.destroy();
    }
  }

  /** @returns null when the connection is closed, or is now for having too many */
  private begin(request: IncomingMessage, response: ServerResponse): Connection | null {
    const { socket } = request;
    const connection = this.bySocket.get(socket);
    if (connection === undefined || socket.destroyed) {
      parseNoMore(socket);
      return null;
    }
    connection.add(response);
    this.openCount++;
    if (connection.open.length === 1) this.busyCount++;
    response.on('close', this.onClose);
    if (this.isDraining) response.shouldKeepAlive = false;
    if (!this.isTooMuch(connection)) return connection;
    this.watch.overloaded();
    socket.destroy();
    return null;
  }

  private accept(request: IncomingMessage, response: ServerResponse): void {
    this.serveNext(this.begin(request, response));
  }

  private serveNext(connection: Connection | null): void {
    const response = connection?.next();
    if (!response) return;
    this.watch.started(response.req, response);
    this.serve(response.req, response);
  }

  private opened(socket: Socket): void {
    const connection = new Connection(socket);
    this.bySocket.set(socket, connection);
    // Between the two Node makes an error with a stack for each request that it has read, thousands of them if it must.
    let stackTraceLimit: number;
    socket.prependListener('close', () => {
      stackTraceLimit = Error.stackTraceLimit;
      Error.stackTraceLimit = 0;
    });
    socket.on('close', () => {
      Error.stackTraceLimit = stackTraceLimit;
      // After Node has told the response that had the socket.
      process.nextTick(() => {
        const unserved = connection.abandon();
        this.bySocket.delete(socket);
        if (unserved > 0) this.watch.unserved(unserved);
      });
    });
  }

  private isTooMuch({ open }: Connection): boolean {
    if (open.length > OPEN_AT_MOST) return true;
    return open.length > 1 && this.openCount - this.busyCount > this.bounds.pipelinedInAll;
  }

  private end(response: ServerResponse): void {
    const { req: request } = response;
    const connection = this.bySocket.get(request.socket);
    const wasServed = connection?.remove(response) ?? null;
    if (connection === undefined || wasServed === null) return;
    this.openCount--;
    if (connection.open.length === 0) this.busyCount--;
    if (wasServed) this.watch.finished(request, response);
    this.serveNext(connection);
  }
}

/** What Node's parser is told of a request after which the connection speaks something else: it leaves the rest alone. */
const NO_MORE_HTTP = 2;

/**
 * Node parses all that it has read, thousands of requests if they are small, also when the first of them has closed the
 * connection. `onIncoming` is how its parser hands each of them over; the next connection that gets the parser sets its own.
 */
function parseNoMore(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming: (() => number) | null } | null };
  if (parser) parser.onIncoming = () => NO_MORE_HTTP;
}
