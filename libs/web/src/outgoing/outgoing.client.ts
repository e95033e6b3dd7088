import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { OnModuleDestroy } from '@nestjs/common';
import type { Agent, Dispatcher } from 'undici';
import { isPublicAddress } from './public-address.js';
import { isLocalName, nameServers, type ResolveHost } from './resolve-host.js';

/** What is read of a response. Its connection is closed when there is more. */
const READ_BYTES = 16_384;
/** What of that is returned. */
const FIRST_BYTES = 1_024;
/** How long the rest of a response may take. */
const READ_MS = 1_000;
/** More than one module has requests in flight: those to a slow host must not wait for each other. */
const CONNECTIONS_A_HOST = 128;
/** Bounds the bytes of a connection. */
const REQUESTS_A_CONNECTION = 100;
/** The bytes of a connection: headers and body of each response. */
const CONNECTION_BYTES = REQUESTS_A_CONNECTION * 2 * READ_BYTES;
/** How long a connection stays open for the next request. */
const IDLE_MS = 4_000;
/** How many addresses of a name are used at most. */
const MAX_ADDRESSES = 4;

/** One text, so that the owner of the URL cannot find out which names internal networks have. */
const UNREACHABLE = 'The host of the URL cannot be reached.';

/** undici publishes this before each request is sent; instrumentations of traces listen to it. */
const CREATED = 'undici:request:create';
/** What a trace adds, which would show other hosts something of our callers. */
const TRACE_HEADERS = new Set(['traceparent', 'tracestate', 'baggage']);

/** Names that can be resolved (RFC 1035, section 2.3.4): a URL may have others. */
const HOST_NAME = /^(?=.{1,253}\.?$)([^.]{1,63}\.)*[^.]{1,63}\.?$/;

export interface OutgoingRules {
  /** Whether requests may go without TLS. */
  readonly allowHttp: boolean;
  /** Whether requests may go to private addresses, to any port, and without TLS. Only for development. */
  readonly allowPrivate: boolean;
  /** Default: by DNS. */
  readonly resolve?: ResolveHost;
}

export interface OutgoingRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The time-out of the whole request: the name, the connection, the response. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface OutgoingResponse {
  readonly status: number;
  /** The `Retry-After` of the host in milliseconds; null when it is missing or unreadable. */
  readonly retryAfterMs: number | null;
  /** The first bytes of the body, as text. */
  readonly beginning: string;
}

/** There is no response. The message may be shown to the owner of the URL. */
export class NoResponse extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'NoResponse';
  }
}

/**
 * Sends requests to URLs that callers have chosen, and never to a host that only this service can reach: a name is
 * resolved once, each of its addresses must be public, and the connection goes to one of these. Redirects are not
 * followed.
 */
export class OutgoingClient implements OnModuleDestroy {
  private readonly resolve: ResolveHost;
  private opened: Promise<Agent> | null = null;
  /** A header that marks our requests until they are sent. */
  private readonly mark = `x-${randomUUID()}`;

  constructor(private readonly rules: OutgoingRules) {
    this.resolve = rules.resolve ?? nameServers();
  }

  /** What is wrong with a URL, to follow its name; null when it is allowed, unless it resolves to a private address. */
  problemOf(text: string): string | null {
    const { allowHttp, allowPrivate } = this.rules;
    if (!URL.canParse(text)) return 'must be a URL';
    // Readers differ about what is the host before one.
    if (text.includes('\\')) return 'must not have a backslash';
    const url = new URL(text);
    const mayBeHttp = allowHttp || allowPrivate;
    if (url.protocol !== 'https:' && !(mayBeHttp && url.protocol === 'http:'))
      return `must be an https ${mayBeHttp ? 'or http ' : ''}URL`;
    const host = hostOf(url);
    if (isIP(host) === 0 && !HOST_NAME.test(host)) return 'must have the name of a host';
    if (url.username !== '' || url.password !== '') return 'must not have a user name or a password';
    if (allowPrivate) return null;
    if (!['', '80', '443'].includes(url.port)) return 'must have port 443 or 80';
    if (isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host)) return 'must have a public address';
    return null;
  }

  /**
   * Resolves with the response, and the beginning of its body; the rest is dropped.
   * @throws NoResponse when none came within `timeoutMs`, or the URL is refused
   * @throws the reason of `signal` when that is aborted
   */
  async send(request: OutgoingRequest): Promise<OutgoingResponse> {
    const { url, method, headers, body, timeoutMs, signal } = request;
    const problem = this.problemOf(url);
    if (problem !== null) throw new NoResponse(`The URL ${problem}.`);
    const { origin, pathname, search } = new URL(url);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const ends = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
    try {
      const agent = await (this.opened ??= this.open());
      ends.throwIfAborted();
      const path = pathname + search;
      const response = await Promise.race([
        agent.request({
          origin,
          path,
          method,
          headers: { ...headers, [this.mark]: '1' },
          body,
          signal: ends,
        }),
        // undici checks the signal only when the connection is open.
        once(ends, 'abort').then(() => Promise.reject(ends.reason as Error)),
      ]);
      // The status has arrived, so what happens to the body does not matter.
      const read = AbortSignal.any([ends, AbortSignal.timeout(READ_MS)]);
      const beginning = await beginningOf(response.body, read);
      return {
        status: response.statusCode,
        retryAfterMs: retryAfterMs(response.headers),
        beginning,
      };
    } catch (error) {
      signal?.throwIfAborted();
      if (late.signal.aborted)
        throw new NoResponse(`There was no response within ${timeoutMs / 1_000} s.`, error);
      throw error instanceof NoResponse
        ? error
        : new NoResponse(`The connection failed${codeOf(error)}.`, error);
    } finally {
      clearTimeout(timer);
      // A signal of others has its listeners for as long as they live.
      late.abort();
    }
  }

  async onModuleDestroy(): Promise<void> {
    unsubscribe(CREATED, this.onCreated);
    await (await this.opened)?.destroy();
  }

  /** At the first request, as undici takes a tenth of a second to load. */
  private async open(): Promise<Agent> {
    const { Agent, buildConnector } = await import('undici');
    // After the subscribers that add headers to the request, so that it sees what they added.
    subscribe(CREATED, this.onCreated);
    const connect = buildConnector({ lookup: this.lookup });
    return new Agent({
      connect: (options, done) =>
        connect(options, (...connected) => {
          if (connected[1]) bound(connected[1]);
          done(...connected);
        }),
      connections: CONNECTIONS_A_HOST,
      // undici sends one request more than this.
      maxRequestsPerClient: REQUESTS_A_CONNECTION - 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      maxHeaderSize: READ_BYTES,
    });
  }

  private readonly onCreated = (message: unknown): void => {
    const { headers } = (message as { request: { headers: string[] } }).request;
    const isOwn = headers.some((name, index) => index % 2 === 0 && name === this.mark);
    for (let index = headers.length - 2; isOwn && index >= 0; index -= 2) {
      const name = headers[index]!.toLowerCase();
      if (name === this.mark || TRACE_HEADERS.has(name)) headers.splice(index, 2);
    }
  };

  /** Called for a connection to a name, which then goes to one of the addresses. */
  private readonly lookup: LookupFunction = (name, { all }, done) => {
    this.addressesOf(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) done(null, found);
        else done(null, found[0]!.address, found[0]!.family);
      },
      (error: Error) => done(error, []),
    );
  };

  private async addressesOf(name: string): Promise<readonly string[]> {
    const addresses = await this.resolve(name).catch((error: unknown) => {
      throw new NoResponse(UNREACHABLE, error);
    });
    if (addresses.length === 0) throw new NoResponse(UNREACHABLE);
    // A single private address is enough to refuse: the owner of the name may aim at it.
    if (!this.rules.allowPrivate && !addresses.every(isPublicAddress)) throw new NoResponse(UNREACHABLE);
    return addresses.slice(0, MAX_ADDRESSES);
  }
}

/** Bounds the bytes of a connection: undici bounds only each part of a response, of which there can be any number. */
function bound(socket: Socket): void {
  socket.on('readable', () => {
    if (socket.bytesRead > CONNECTION_BYTES) socket.destroy(new NoResponse('The response was too long.'));
  });
}

/** An address of IPv6 is in brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `: ${code}` : '';
}

async function beginningOf(body: Dispatcher.ResponseData['body'], signal: AbortSignal): Promise<string> {
  const first: Buffer[] = [];
  let size = 0;
  body.on('error', () => undefined);
  try {
    for await (const chunk of addAbortSignal(signal, body) as AsyncIterable<Buffer>) {
      if (size < FIRST_BYTES) first.push(chunk.subarray(0, FIRST_BYTES - size));
      size += chunk.length;
      if (size > READ_BYTES) break;
    }
  } catch {
    // The connection broke, or the rest took too long.
  }
  return Buffer.concat(first).toString();
}

/** Seconds or a date (RFC 9110, section 10.2.3), which is compared with that of the response: clocks differ. */
function retryAfterMs({ 'retry-after': after, date }: Readonly<Record<string, unknown>>): number | null {
  if (typeof after !== 'string') return null;
  const ms = /^\d{1,9}$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.parse(String(date));
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
