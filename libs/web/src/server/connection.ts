import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { factsOf } from '../request-facts.js';
import type { NodeInternals } from './node/node-internals.js';

/**
 * The maximum number of requests of one connection that are served at the same time. While a connection has this many,
 * nothing more is read from it.
 */
export const SERVED_AT_ONCE = 32;
/** Reading continues when at most this many requests are open. */
const RESUMED_AT = SERVED_AT_ONCE / 2;
/** While more bytes than this wait to be sent on a connection, none of its further requests is served. */
const MAX_UNSENT = 65_536;
/**
 * How long a client may take to close a connection whose last response has been sent. If the server closed it at once,
 * what the client still sends would reset it, and the client might miss the response (RFC 9112, section 9.6).
 */
const LINGER_MS = 1_000;

const SAFE = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/**
 * Whether a request is served when those before it are done, and nothing beside it. Only requests with safe methods may
 * be processed in parallel (RFC 9112, section 9.3.2). Of some it is only known when they are done whether the
 * connection stays open: Node closes it when `Expect: 100-continue` was not followed by a 100, and after a response of
 * HTTP/1.0 without a length.
 */
function isServedAlone({ method, httpVersionMinor, headers }: IncomingMessage): boolean {
  return !SAFE.includes(method!) || httpVersionMinor === 0 || headers.expect !== undefined;
}

/** A connection and its open requests. */
export class Connection {
  /** The open responses, in the order of their requests. */
  readonly open: ServerResponse[] = [];
  /** Whether it waits in the queue of the turn. */
  isQueued = false;
  /** The body of a request was not read to its end, so what follows on the connection is not a request. */
  isHalfRead = false;
  /** How many requests have arrived since the last one that was accepted. */
  ignored = 0;
  /** Something that it sent could not be read as a request. */
  isRefused = false;
  /** The last open response closes the connection. No further request is accepted. */
  private isClosing = false;
  /** Whether the one that is being served is served alone. */
  private isExclusive = false;
  /** The number of open responses that are being served. They are the first ones. */
  private served = 0;
  private unserved = 0;
  private isPaused = false;
  private events = 0;
  private lastEvents = -1;
  private quietSinceMs = 0;
  /** The bytes sent at the last check. */
  private sentBytes = 0;

  constructor(
    readonly socket: Socket,
    private readonly node: NodeInternals,
  ) {
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
  next(): ServerResponse | null {
    const { served, open, socket } = this;
    if (served >= Math.min(SERVED_AT_ONCE, open.length) || this.isExclusive) return null;
    if (socket.destroyed || socket.writableEnded || this.isFull()) return null;
    const response = open[served]!;
    if (isServedAlone(response.req)) {
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
   * The time since a request last started or ended, or its client read something of a stream, or all of one that is
   * held open. It is only as exact as the calls are frequent.
   */
  quietMs(nowMs: number): number {
    if (this.isStreaming() || this.events !== this.lastEvents) {
      this.lastEvents = this.events;
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
    return this.sentBytes !== sentBytes || (this.isWaiting && factsOf(first.req).streamSignal !== null);
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

  /** Whether too many bytes wait to be sent. Only requests after another one can find out. */
  private isFull(): boolean {
    let unsentBytes = 0;
    for (let index = 0; index < this.served; index++) unsentBytes += this.open[index]!.writableLength;
    return unsentBytes > MAX_UNSENT;
  }

  private acceptNoMore(): void {
    this.isClosing = true;
    this.node.stopParsing(this.socket);
  }
}

/** Ends the server's half of the connection, and waits for the client to end the other. */
function closeAfterClient(this: Socket): void {
  const linger = () => this.setTimeout(LINGER_MS);
  this.end();
  if (this.writableFinished) linger();
  else this.once('finish', linger);
}
