import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ResponseQueue } from './response-queue.js';
import { streamSignalOf } from '../streams/streams.js';
import { TurnQueue } from './turn-queue.js';

/** How often the time limits of connections are checked. */
const CHECK_MS = 1_000;
/**
 * The maximum number of requests of one connection that are served at the same time. While a connection has this many,
 * nothing more is read from it.
 */
export const SERVED_AT_ONCE = 32;
/**
 * The maximum number of open requests of one connection. The data that was already read may contain more requests than
 * are served at the same time; the others wait. A connection with more open requests than this is closed.
 */
export const OPEN_AT_MOST = 1_000;
/** Reading continues when at most this many requests are open. */
const RESUMED_AT = SERVED_AT_ONCE / 2;
/** While more bytes than this wait to be sent on a connection, none of its further requests is served. */
export const UNSENT_AT_MOST = 65_536;
/**
 * How long a client may take to close a connection whose last response has been sent. If the server closed it at once,
 * what the client still sends would reset it, and the client might miss the response (RFC 9112, section 9.6).
 */
const LINGER_MS = 1_000;

/**
 * The result of `onIncoming` of Node's parser after which a connection no longer speaks HTTP. The parser then ignores
 * the rest of its data.
 */
const NO_MORE_HTTP = 2;

/** Observes requests. Each served request starts once and finishes once, even if its connection closes. */
export interface RequestWatch {
  started(request: IncomingMessage, response: ServerResponse): void;
  /** Its response has been sent, or can no longer be sent. */
  finished(request: IncomingMessage, response: ServerResponse): void;
  /** A connection has closed while `count` of its requests were waiting. They were never handled. */
  unserved(count: number): void;
  /** A connection was closed because too many requests were open on it, or on all connections together. */
  overloaded(): void;
}

export interface ConnectionBounds {
  /** The maximum number of open requests on all connections together, without the first one of each connection. */
  readonly maxPipelined: number;
  /** A connection with open requests is closed when no request starts or ends for this time. */
  readonly stalledAfterMs: number;
  /** The same for a connection without open requests. */
  readonly idleAfterMs: number;
}

/** The property of a socket with its connection. Each request reads it several times, and a map would be slower. */
const CONNECTION = Symbol('connection');
type ServedSocket = Socket & { [CONNECTION]?: Connection };

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** A response with the asynchronous context in which its request was read, such as that of its trace. */
type OpenResponse = ServerResponse & { context?: AsyncResource };

const SAFE = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/**
 * Whether a request is served when those before it are done, and nothing beside it. Only requests with safe methods may be
 * processed in parallel (RFC 9112, section 9.3.2). Of some it is only known when they are done whether the connection
 * stays open: Node closes it when `Expect: 100-continue` was not followed by a 100, and after a response of HTTP/1.0
 * without a length.
 */
function standsAlone({ method, httpVersionMinor, headers }: IncomingMessage): boolean {
  return !SAFE.includes(method!) || httpVersionMinor === 0 || headers.expect !== undefined;
}

/** A connection and its open requests. */
export class Connection {
  /** The open responses, in the order of their requests. */
  readonly open: OpenResponse[] = [];
  /** Whether it waits in the queue of the turn. */
  isQueued = false;
  /** The body of a request was not read to its end, so what follows on the connection is not a request. */
  isHalfRead = false;
  /** The last open response closes the connection. No further request is accepted. */
  private isClosing = false;
  /** Whether the one that is being served stands alone. */
  private isExclusive = false;
  /** The number of open responses that are being served. They are the first ones. */
  private served = 0;
  private unserved = 0;
  private isPaused = false;
  private events = 0;
  private eventsSeen = -1;
  private quietSinceMs = 0;
  /** When it was last looked at. */
  private sentBytes = 0;

  constructor(readonly socket: Socket) {
    socket.destroySoon = closeAfterClient;
    // Node removes its own listener when it detaches the socket (`connect`, `upgrade`). This one stays.
    socket.on('error', () => undefined);
    // Reading a body resumes the whole socket.
    socket.on('resume', () => {
      if (this.isPaused) socket.pause();
    });
  }

  /** A connection that is closing accepts nothing more (RFC 9112, section 9.6). */
  get acceptsMore(): boolean {
    return !this.isClosing && !this.socket.destroyed && !this.socket.writableEnded;
  }

  /** Whether its client has sent and read everything, and waits for a response. */
  get isWaiting(): boolean {
    const [first] = this.open;
    if (first === undefined || !first.req.complete || first.writableEnded || this.socket.writableEnded)
      return false;
    return first.writableLength + this.socket.writableLength === 0;
  }

  add(response: ServerResponse): void {
    this.events++;
    this.open.push(response);
    if (!response.shouldKeepAlive) this.acceptNoMore();
    if (this.open.length < SERVED_AT_ONCE || this.isPaused) return;
    this.isPaused = true;
    this.socket.pause();
  }

  /** Makes the last open response close the connection, unless its head says already that the connection stays open. */
  closeAfterOpen(): void {
    const last = this.open.at(-1);
    if (last === undefined || last.headersSent) return;
    last.shouldKeepAlive = false;
    this.acceptNoMore();
  }

  /** The next waiting response, which then counts as being served; null when none may be served now. */
  next(): OpenResponse | null {
    const { served, open, socket } = this;
    if (served >= Math.min(SERVED_AT_ONCE, open.length) || this.isExclusive) return null;
    if (socket.destroyed || socket.writableEnded || this.isFull()) return null;
    const response = open[served]!;
    if (standsAlone(response.req)) {
      if (served > 0) return null;
      this.isExclusive = true;
    }
    this.served++;
    return response;
  }

  /** Whether a request has not been served yet. */
  get hasUnserved(): boolean {
    return this.served < this.open.length;
  }

  /** @returns whether it was being served, or null when it was already removed */
  remove(response: ServerResponse): boolean | null {
    const index = this.open.indexOf(response);
    if (index === -1) return null;
    if (!response.req.complete) this.isHalfRead = true;
    const wasServed = index < this.served;
    if (!wasServed) this.unserved++;
    else if (--this.served === 0) this.isExclusive = false;
    this.events++;
    if (index === 0) this.open.shift();
    else this.open.splice(index, 1);
    if (this.isPaused && this.open.length <= RESUMED_AT) {
      this.isPaused = false;
      this.socket.resume();
    }
    // A handler may have set another `Connection` header.
    if (this.isClosing && this.open.length === 0) this.socket.destroySoon();
    return wasServed;
  }

  /**
   * The time since a request last started or ended, or its client read something of a stream, or all of one that is held
   * open. It is only as exact as the calls are frequent.
   */
  quietMs(nowMs: number): number {
    if (this.isStreaming() || this.events !== this.eventsSeen) {
      this.eventsSeen = this.events;
      this.quietSinceMs = nowMs;
    }
    return nowMs - this.quietSinceMs;
  }

  private isStreaming(): boolean {
    const { socket, sentBytes } = this;
    const [first] = this.open;
    // What a handler has written to its end may not be read for ever.
    if (first === undefined || !first.headersSent || first.writableEnded) return false;
    this.sentBytes = socket.bytesWritten - socket.writableLength;
    return this.sentBytes !== sentBytes || (this.isWaiting && streamSignalOf(first) !== undefined);
  }

  /**
   * Closes the open responses after their socket has closed. Node closes only the response that has the socket, not
   * those waiting for it.
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

  /** Whether too many bytes wait to be sent. Only requests behind another one can find out. */
  private isFull(): boolean {
    let unsentBytes = 0;
    for (let index = 0; index < this.served; index++) unsentBytes += this.open[index]!.writableLength;
    return unsentBytes > UNSENT_AT_MOST;
  }

  private acceptNoMore(): void {
    this.isClosing = true;
    stopParsing(this.socket);
  }
}

/** The connections of a server. It limits the resources of each connection and ends its requests with it. */
export class Connections {
  private readonly all = new Set<Connection>();
  private openCount = 0;
  /** The number of connections with an open request. The first request of each is not pipelined. */
  private busyCount = 0;
  private isDraining = false;
  private readonly queue = new TurnQueue<Connection>((connection) => this.serveOne(connection));
  private readonly responses = new ResponseQueue();
  private readonly onClose: (this: ServerResponse) => void;
  private examine: Handle = () => undefined;
  private handle: Handle = () => undefined;

  constructor(
    private readonly bounds: ConnectionBounds,
    private readonly watch: RequestWatch,
  ) {
    // One listener for all responses. A closure for each would be garbage.
    const end = (response: ServerResponse) => this.end(response);
    this.onClose = function () {
      end(this);
    };
  }

  /**
   * Passes the requests of `server` to `serve` when all of a turn of the event loop are read: a few of each connection in
   * a turn, and at most `SERVED_AT_ONCE` at the same time. Each runs in the asynchronous context in which it was read.
   *
   * @param examine sees each request when it has been read. When it sets `shouldKeepAlive` to false, the response closes
   * the connection, and what stands behind the request is not parsed.
   */
  guard(server: Server, serve: Handle, examine: Handle = this.examine): void {
    this.handle = serve;
    this.examine = examine;
    server.on('connection', (socket: Socket) => this.opened(socket));
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.examine(request, response);
      const connection = this.begin(request, response);
      if (connection === null) return;
      (response as OpenResponse).context = new AsyncResource('REQUEST');
      this.queue.add(connection, connection.open.length === 1);
    });
    const check = setInterval(() => this.closeQuiet(performance.now()), CHECK_MS).unref();
    server.on('close', () => clearInterval(check));
  }

  get openRequests(): number {
    return this.openCount;
  }

  /** The connection of an open socket. */
  of(socket: Socket): Connection | undefined {
    return connectionOf(socket);
  }

  /**
   * Adds a response to input that could not be read as a request. It is sent after all earlier responses.
   *
   * @returns false when the connection is closing or closed, also when this made one open request too many
   */
  beginUnreadable(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.begin(request, response)?.next() !== response) return false;
    this.watch.started(request, response);
    return true;
  }

  /** Closes each connection after its open responses, or after the next one (RFC 9112, section 9.6). */
  closeAfterResponses(): void {
    this.isDraining = true;
    for (const connection of this.all) connection.closeAfterOpen();
  }

  /** Closes the connections that have never sent a byte. */
  closeUnused(): void {
    for (const { socket } of this.all) if (socket.bytesRead === 0) socket.destroy();
  }

  closeAll(): void {
    for (const { socket } of this.all) socket.destroy();
  }

  /** Closes the connections without progress for too long, even if bytes arrive. */
  closeQuiet(nowMs: number): void {
    const { stalledAfterMs, idleAfterMs } = this.bounds;
    for (const connection of this.all) {
      const limitMs = connection.open.length > 0 ? stalledAfterMs : idleAfterMs;
      if (connection.quietMs(nowMs) > limitMs) connection.socket.destroy();
    }
  }

  /** @returns null when the connection is closing or closed, also when this made one open request too many */
  private begin(request: IncomingMessage, response: ServerResponse): Connection | null {
    const { socket } = request;
    const connection = connectionOf(socket);
    if (!connection?.acceptsMore) {
      stopParsing(socket);
      return null;
    }
    if (this.isDraining) response.shouldKeepAlive = false;
    connection.add(response);
    this.openCount++;
    if (connection.open.length === 1) this.busyCount++;
    response.on('close', this.onClose);
    if (!this.exceedsLimits(connection)) return connection;
    this.watch.overloaded();
    socket.destroy();
    return null;
  }

  private serveOne(connection: Connection): void {
    const response = connection.next();
    if (response === null) return;
    if (connection.hasUnserved) this.queue.add(connection, false);
    response.context!.runInAsyncScope(this.serve, undefined, response);
  }

  private readonly serve = (response: ServerResponse): void => {
    this.watch.started(response.req, response);
    this.handle(response.req, response);
  };

  private opened(socket: Socket): void {
    const connection = new Connection(socket);
    (socket as ServedSocket)[CONNECTION] = connection;
    this.all.add(connection);
    this.responses.add(socket);
    socket.on('close', () => {
      // Node first closes the response that has the socket.
      process.nextTick(() => {
        const unserved = connection.abandon();
        delete (socket as ServedSocket)[CONNECTION];
        this.all.delete(connection);
        if (unserved > 0) this.watch.unserved(unserved);
      });
    });
  }

  private exceedsLimits({ open }: Connection): boolean {
    if (open.length > OPEN_AT_MOST) return true;
    return open.length > 1 && this.openCount - this.busyCount > this.bounds.maxPipelined;
  }

  private end(response: ServerResponse): void {
    const { req: request } = response;
    const connection = connectionOf(request.socket);
    const wasServed = connection?.remove(response) ?? null;
    if (connection === undefined || wasServed === null) return;
    this.openCount--;
    if (connection.open.length === 0) this.busyCount--;
    if (wasServed) this.watch.finished(request, response);
    if (connection.hasUnserved) this.queue.add(connection, false);
  }
}

function connectionOf(socket: ServedSocket): Connection | undefined {
  return socket[CONNECTION];
}

/** Ends the server's half of the connection, and waits for the client to end the other. */
function closeAfterClient(this: Socket): void {
  const linger = () => this.setTimeout(LINGER_MS);
  this.end();
  if (this.writableFinished) linger();
  else this.once('finish', linger);
}

/**
 * Stops the parser of a connection that accepts no more requests. Node would otherwise parse all data that it has read,
 * which may hold thousands of small requests. The parser calls `onIncoming` for each request. The next connection that reuses the
 * parser sets its own function.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming: (() => number) | null } | null };
  if (parser) parser.onIncoming = () => NO_MORE_HTTP;
}
