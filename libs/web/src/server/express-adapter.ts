import type { Server } from 'node:http';
import { parse, type ParsedUrlQuery, unescape } from 'node:querystring';
import { StreamableFile } from '@nestjs/common';
import type { Express, Response } from 'express';
import { FastExpressAdapter } from '@animal-store/fast-express';
import { collectingResponse } from './node/collecting-response.js';
import { sendFile } from '../responses/bytes-response.js';
import { sendJson } from '../responses/json-response.js';

/**
 * How many new connections wait in the kernel while the server is busy: what Linux allows by default. It drops further
 * ones, whose clients see resets and time-outs. Node's default is 511.
 */
const LISTEN_BACKLOG = 4_096;
/** How often Node checks its time-outs. Its default of 30 s would turn 10 s into 40. */
const TIMEOUT_CHECK_MS = 1_000;

/**
 * Express for this service. The result of a handler is sent as JSON with an entity tag, in one piece with its headers
 * and without content negotiation. A bigint becomes an exact JSON number. A StreamableFile can be validated and sent in
 * part.
 */
export class JsonExpressAdapter extends FastExpressAdapter {
  /** @param reusePort whether other processes may listen on the port too; from Node 22.12 on */
  constructor(private readonly reusePort = false) {
    super({
      // Requests without a Host are refused later, with an Error object.
      server: {
        connectionsCheckingInterval: TIMEOUT_CHECK_MS,
        requireHostHeader: false,
        ServerResponse: collectingResponse(),
      },
    });
    this.getInstance<Express>().disable('x-powered-by').disable('etag').set('query parser', parseQuery);
  }

  /** Nest passes the host, if there is one, and its callback. */
  override listen(port: string | number, ...parameters: unknown[]): Server {
    const callback = parameters.pop() as () => void;
    const [host] = parameters as string[];
    const { reusePort } = this;
    const options = { port: Number(port), host, backlog: LISTEN_BACKLOG, reusePort };
    return this.httpServer.listen(options, callback);
  }

  /** The last guard reads the body, so Nest must not, whatever its option `bodyParser` says. */
  override registerParserMiddleware(): void {}

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    // A stream of events is no file that could be cached or sent in parts.
    if (body instanceof StreamableFile && response.getHeader('Content-Type') !== 'text/event-stream') {
      if (statusCode) response.status(statusCode);
      return sendFile(response, body, (file) => super.reply(response, file) as unknown);
    }
    const isJson =
      typeof body === 'object' &&
      body !== null &&
      !(body instanceof StreamableFile) &&
      // Nest's own filter sends these.
      !(body instanceof Error || (statusCode ?? 0) >= 400);
    if (!isJson) return super.reply(response, body, statusCode);
    if (statusCode) response.status(statusCode);
    return sendJson(response, body);
  }
}

/** The number of cached query strings: a few hundred kilobytes at most. */
const MAX_CACHED = 1_000;
/** Longer ones contain a cursor and are rarely repeated. */
const MAX_CACHED_CHARACTERS = 28;

const NONE: ParsedUrlQuery = Object.freeze(Object.create(null) as ParsedUrlQuery);

const cache = new Map<string, ParsedUrlQuery>();

/**
 * Express's `query parser` for this service. It works like the `simple` one, and caches the results of short query
 * strings, which are frozen.
 */
function parseQuery(text: string | null): ParsedUrlQuery {
  if (text === null || text === '') return NONE;
  const known = cache.get(text);
  if (known) return known;
  const query = parse(text, '&', '=', { maxKeys: 0, decodeURIComponent: decode });
  if (text.length > MAX_CACHED_CHARACTERS || Object.values(query).some(Array.isArray)) return query;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, Object.freeze(query));
  return query;
}

/**
 * Malformed UTF-8 becomes a lone surrogate, which no rule lets pass: as U+FFFD it would find what has that character.
 * A stray `%` is a literal.
 */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescape(text).replaceAll('\ufffd', '\udfff');
  }
}
