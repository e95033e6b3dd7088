import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  OutgoingMessage,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import type { ResponseQueue, QueuedResponse } from './response-queue.js';

type HeaderValue = number | string | readonly string[];
type Callback = () => void;

/** A longer text is written behind its headers, instead of in one string with them. */
const JOINED_AT_MOST = 512;

const inherited = (name: 'writableFinished' | 'getRawHeaderNames') =>
  Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, name)!;
const { get: writableFinished } = inherited('writableFinished') as { get: (this: void) => boolean };
const rawHeaderNames = inherited('getRawHeaderNames').value as (this: void) => string[];

/** Methods of Node that are missing in its types. */
interface NodesMethods {
  _finish: (this: void) => void;
  _storeHeader: (this: void, head: string, headers: unknown) => void;
}
const { _finish: finish, _storeHeader: storeHeader } = ServerResponse.prototype as unknown as NodesMethods;

/** The methods that read or set headers here without calling the one behind them. */
const HEADER_METHODS = [
  'setHeader',
  'appendHeader',
  'getHeader',
  'hasHeader',
  'getHeaderNames',
  'getRawHeaderNames',
  'getHeaders',
] as const;
/** The property of Node's own in which all of them find the headers. No other code can name it. */
const NODES_HEADERS = '[kOutHeaders]';

/**
 * A response that collects its headers in one flat array, which Node accepts in one piece. Node itself stores headers
 * that are set one by one in an object by lower-case name, and copies them out again. With a dozen headers, searching
 * an array is faster. Names and values are validated like in Node. At the first call that is not plain setting and
 * getting, Node gets the collected headers and handles the rest of this response.
 *
 * With a queue, a text that is the whole body, with the length in the headers, is sent together with other responses that
 * become ready at the same moment.
 *
 * Each call creates a separate class, so that each server can set Express's methods behind it.
 *
 * @param prototype what will be behind the class. When other code, such as a security agent, has replaced a method for
 * headers there, Node handles the headers of all responses, so that the replacement sees every call.
 */
export function bufferedResponse(
  queue: ResponseQueue | null = null,
  prototype: object = ServerResponse.prototype,
): typeof ServerResponse {
  const collects = hasNodesHeaderMethods(prototype);

  class BufferedResponse<From extends IncomingMessage = IncomingMessage>
    extends ServerResponse<From>
    implements QueuedResponse
  {
    /** Names and values alternately, in the order in which they were first set. Null when Node has the headers. */
    private flat: HeaderValue[] | null = collects ? [] : null;
    /** The known names that are in `flat`, a bit each. */
    private present = 0;
    /** The text that is waiting in the queue. */
    private text: string | null = null;
    private encoding: BufferEncoding = 'utf8';
    /** `end` emits `prefinish` itself for a text that waits. */
    private hasPrefinished = false;

    constructor(...parameters: ConstructorParameters<typeof ServerResponse<From>>) {
      super(...parameters);
      // An Express application that is called and not mounted replaces the prototype of this response by its own.
      assignMethods(this as unknown as Record<string, unknown>);
    }

    override setHeader(name: string, value: HeaderValue): this {
      const { flat } = this;
      // Node throws the right error for a header that comes too late.
      if (!flat || this.headersSent) return super.setHeader(name, value);
      const known = knownNames.get(name) ?? know(name);
      if (value !== known.validValue) validate(known, name, value);
      if (known.endsCollecting) {
        this.release();
        return super.setHeader(name, value);
      }
      const { bit } = known;
      const index = bit !== 0 && (this.present & bit) === 0 ? -1 : indexOf(flat, name);
      if (index === -1) {
        flat.push(name, value);
        this.present |= bit;
      } else {
        flat[index] = name;
        flat[index + 1] = value;
      }
      return this;
    }

    override setHeaders(headers: Headers | Map<string, HeaderValue>): this {
      this.release();
      return super.setHeaders(headers);
    }

    override appendHeader(name: string, value: string | readonly string[]): this {
      const isFirst =
        this.flat &&
        !this.headersSent &&
        typeof name === 'string' &&
        placeOf(name, this.flat, this.present) === -1;
      if (isFirst) return this.setHeader(name, value);
      this.release();
      return super.appendHeader(name, value);
    }

    override getHeader(name: string): OutgoingHttpHeader | undefined {
      const { flat } = this;
      if (!flat || typeof name !== 'string') return super.getHeader(name);
      const index = placeOf(name, flat, this.present);
      return index === -1 ? undefined : (flat[index + 1] as OutgoingHttpHeader);
    }

    override hasHeader(name: string): boolean {
      const { flat } = this;
      return flat && typeof name === 'string'
        ? placeOf(name, flat, this.present) !== -1
        : super.hasHeader(name);
    }

    override removeHeader(name: string): void {
      // Node distinguishes removed headers from headers that were never set.
      if (this.flat && typeof name === 'string' && placeOf(name, this.flat, this.present) !== -1)
        this.release();
      // Node refuses the call when it comes too late, and remembers which of its own headers (Date, Connection …) were
      // removed.
      super.removeHeader(name);
    }

    override getHeaderNames(): string[] {
      return this.flat ? namesIn(this.flat).map((name) => name.toLowerCase()) : super.getHeaderNames();
    }

    /** A method of Node that is missing in its types. */
    getRawHeaderNames(): string[] {
      return this.flat ? namesIn(this.flat) : (Reflect.apply(rawHeaderNames, this, []) as string[]);
    }

    override getHeaders(): OutgoingHttpHeaders {
      if (!this.flat) return super.getHeaders();
      const headers = Object.create(null) as OutgoingHttpHeaders;
      for (const name of this.getHeaderNames()) headers[name] = this.getHeader(name);
      return headers;
    }

    override writeHead(
      statusCode: number,
      reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
      headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
    ): this {
      const { flat } = this;
      const isPlain = flat && reason === undefined && headers === undefined && !this.headersSent;
      // Without collected headers there is nothing to merge.
      if (isPlain && flat.length > 0) return super.writeHead(statusCode, flat as OutgoingHttpHeader[]);
      this.release();
      return super.writeHead(statusCode, reason as string, headers);
    }

    override end(chunk?: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): this {
      const mayWait =
        queue !== null &&
        typeof chunk === 'string' &&
        chunk !== '' &&
        (encoding === undefined || encoding === 'utf8' || encoding === 'latin1') &&
        !callback &&
        this.isFirstOfConnection() &&
        !this.headersSent &&
        !this.strictContentLength &&
        this.hasHeader('Content-Length') &&
        // Node encodes it differently when it knows the body.
        !this.hasHeader('Content-Disposition');
      if (!mayWait) return super.end(chunk, encoding as BufferEncoding, callback);
      // Now, as the caller can still handle the error of an invalid header.
      this.writeHead(this.statusCode);
      this.text = chunk;
      this.encoding = encoding ?? 'utf8';
      this.finished = true;
      this.hasPrefinished = true;
      try {
        Reflect.apply(finish, this, []);
      } finally {
        queue.add(this);
      }
      return this;
    }

    /**
     * Node calls it from `writeHead`, with the first line of the head. The collected headers are valid, so their lines
     * are added here, up to the first one that Node has to look at.
     */
    _storeHeader(firstLine: string, headers: unknown): void {
      const { flat } = this;
      if (flat === null || headers !== flat) {
        Reflect.apply(storeHeader, this, [firstLine, headers]);
        return;
      }
      let head = firstLine;
      let index = 0;
      for (; index < flat.length; index += 2) {
        const line = lineOf(flat[index] as string, flat[index + 1]!);
        if (line === null) break;
        head += line;
      }
      Reflect.apply(storeHeader, this, [head, flat.slice(index)]);
    }

    /** Node calls it at the end of `end`, and it emits `prefinish`. */
    _finish(): void {
      if (!this.hasPrefinished) Reflect.apply(finish, this, []);
    }

    override destroy(error?: Error): this {
      this.sendNow();
      return super.destroy(error);
    }

    sendNow(): void {
      const { text, socket } = this;
      if (typeof text !== 'string') return;
      // Nothing can be sent any more. The text stays, as the response is not finished.
      if (socket && !socket.writable) return;
      this.text = null;
      this.finished = false;
      // Node adds an empty chunk after a body passed to `end`, and two chunks cost more than one.
      socket?.cork();
      // Node would join them into one string, which is a copy of the whole body.
      if (text.length > JOINED_AT_MOST) super.flushHeaders();
      super.write(text, this.encoding);
      socket?.uncork();
      super.end();
    }

    /** Whether the response still has this class, and no earlier response of its connection is open. */
    private isFirstOfConnection(): boolean {
      return this.text === null && this.socket !== null && this instanceof BufferedResponse;
    }

    /** Passes the collected headers to Node, unless they have been written. From here on Node handles this response. */
    private release(): void {
      const { flat } = this;
      if (!flat || this.headersSent) return;
      this.flat = null;
      for (let index = 0; index < flat.length; index += 2) {
        super.setHeader(flat[index] as string, flat[index + 1]!);
      }
    }
  }

  const methods = BufferedResponse.prototype as unknown as Record<string, unknown>;
  // Not in a loop, which would take V8 longer than everything else here.
  function assignMethods(response: Record<string, unknown>): void {
    response['setHeader'] = methods['setHeader'];
    response['setHeaders'] = methods['setHeaders'];
    response['appendHeader'] = methods['appendHeader'];
    response['getHeader'] = methods['getHeader'];
    response['hasHeader'] = methods['hasHeader'];
    response['removeHeader'] = methods['removeHeader'];
    response['getHeaderNames'] = methods['getHeaderNames'];
    response['getRawHeaderNames'] = methods['getRawHeaderNames'];
    response['getHeaders'] = methods['getHeaders'];
    response['writeHead'] = methods['writeHead'];
    // Node's older name of `writeHead`, which no wrapper of `writeHead` intercepts.
    response['writeHeader'] = methods['writeHead'];
    response['release'] = methods['release'];
    response['_storeHeader'] = methods['_storeHeader'];
  }
  // A response is not finished while its text is waiting. (TypeScript does not allow overriding this accessor in the
  // class.)
  Object.defineProperty(BufferedResponse.prototype, 'writableFinished', {
    configurable: true,
    get(this: { text?: string | null }): boolean {
      return typeof this.text !== 'string' && (Reflect.apply(writableFinished, this, []) as boolean);
    },
  });
  return BufferedResponse;
}

function hasNodesHeaderMethods(prototype: object): boolean {
  const methods = prototype as Record<(typeof HEADER_METHODS)[number], unknown>;
  return HEADER_METHODS.every((name) => String(methods[name]).includes(NODES_HEADERS));
}

interface KnownName {
  /** The same for a name in any case; 0 when all bits were given away. */
  readonly bit: number;
  /**
   * Names that begin with a digit come before all others in Node's object. Content-Disposition is validated by Node before
   * it is encoded when it is set alone, and after that when it is in an array.
   */
  readonly endsCollecting: boolean;
  /** Whether Node has to look at the value when it writes the head. */
  readonly isForNode: boolean;
  /** The last value that came twice in a row, and its line of the head. */
  repeated: { readonly value: string; readonly line: string } | null;
  lastValue: string | null;
  /** The last valid value: most headers have the same value in every response. */
  validValue: string | null;
}

const knownNames = new Map<string, KnownName>();
const bits = new Map<string, number>();
/** An application uses a few dozen names. */
const MOST_NAMES = 1_000;
const MOST_BITS = 31;
const LONGEST_VALUE = 256;
const INVALID_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** These decide how Node frames the body and whether it closes the connection. */
const FOR_NODE = new Set([
  'connection',
  'content-length',
  'date',
  'expect',
  'keep-alive',
  'trailer',
  'transfer-encoding',
]);

/** @throws TypeError when it is no name of a header */
function know(name: string): KnownName {
  validateHeaderName(name);
  const first = name.charCodeAt(0);
  const isCached = knownNames.size < MOST_NAMES;
  const lowerCase = name.toLowerCase();
  const known: KnownName = {
    // Another spelling of a name has its bit, also when no further name gets one.
    bit: isCached ? bitOf(lowerCase) : (bits.get(lowerCase) ?? 0),
    endsCollecting: (first >= 48 && first <= 57) || lowerCase === 'content-disposition',
    isForNode: FOR_NODE.has(lowerCase),
    repeated: null,
    lastValue: null,
    validValue: null,
  };
  if (isCached) knownNames.set(name, known);
  return known;
}

function bitOf(lowerCaseName: string): number {
  let bit = bits.get(lowerCaseName);
  if (bit === undefined) {
    bit = bits.size < MOST_BITS ? 1 << bits.size : 0;
    if (bit !== 0) bits.set(lowerCaseName, bit);
  }
  return bit;
}

/** @throws TypeError when it is no value of a header */
function validate(known: KnownName, name: string, value: unknown): void {
  if (typeof value === 'number') return;
  if (typeof value !== 'string' || INVALID_IN_VALUE.test(value)) validateHeaderValue(name, value as string);
  else if (value.length <= LONGEST_VALUE) known.validValue = value;
}

/** The line of the head, or null when Node has to make it. Most headers have the same value in every response. */
function lineOf(name: string, value: HeaderValue): string | null {
  const known = knownNames.get(name);
  if (known === undefined || known.isForNode || typeof value === 'object') return null;
  if (known.repeated !== null && known.repeated.value === value) return known.repeated.line;
  const line = `${name}: ${value}\r\n`;
  if (typeof value === 'string' && value.length <= LONGEST_VALUE) {
    if (value === known.lastValue) known.repeated = { value, line };
    known.lastValue = value;
  }
  return line;
}

function namesIn(flat: readonly HeaderValue[]): string[] {
  return flat.filter((_, index) => index % 2 === 0) as string[];
}

/** Where `name` is in `flat`, or -1: most names of a response are asked for once, when they are not there yet. */
function placeOf(name: string, flat: readonly HeaderValue[], present: number): number {
  const bit = knownNames.get(name)?.bit ?? 0;
  return bit !== 0 && (present & bit) === 0 ? -1 : indexOf(flat, name);
}

function indexOf(flat: readonly HeaderValue[], name: string): number {
  for (let index = 0; index < flat.length; index += 2) {
    const present = flat[index] as string;
    if (present === name) return index;
    if (present.length === name.length && isSameName(present, name)) return index;
  }
  return -1;
}

/** The bit by which letters differ in case. */
const CASE = 0x20;

/** Of one length: most names differ in their last letters, which is seen without making lower-case texts of both. */
function isSameName(one: string, other: string): boolean {
  for (let index = one.length - 1; index >= 0; index--) {
    if ((one.charCodeAt(index) | CASE) !== (other.charCodeAt(index) | CASE)) return false;
  }
  // Other characters have that bit too, such as ^ and ~.
  return one.toLowerCase() === other.toLowerCase();
}
