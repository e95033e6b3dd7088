import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { AnswerQueue, ReadyAnswer } from './answer-queue.js';

type HeaderValue = number | string | readonly string[];
type Callback = () => void;

/**
 * A response that is gathered before it is sent, for less work in all:
 *
 * - Its headers are in one flat array, which Node gets in one piece. Node puts headers that are set one at a time into
 *   an object by lower-case name and copies them out of it again; a dozen headers are found faster by looking through
 *   them. Names and values are checked when the headers are written, not when they are set.
 * - A text that is the whole body, of the length that the headers say, leaves with the other answers of its turn of the
 *   event loop (AnswerQueue). To everybody else the response has ended before that.
 *
 * Each call makes a class of its own, so that each server can put Express's methods behind it.
 */
export function gatheringResponse(queue: AnswerQueue): typeof ServerResponse {
  return class GatheringResponse<From extends IncomingMessage = IncomingMessage>
    extends ServerResponse<From>
    implements ReadyAnswer
  {
    /** Names and values by turns, in the order in which they were first set. */
    private readonly flat: HeaderValue[] = [];
    /** The text that waits in the queue. */
    private text = '';
    private encoding: BufferEncoding = 'utf8';

    constructor(...parameters: ConstructorParameters<typeof ServerResponse<From>>) {
      super(...parameters);
      queue.expect();
    }

    override setHeader(name: string, value: HeaderValue): this {
      // Node knows best how to refuse a header that comes too late.
      if (this.headersSent) return super.setHeader(name, value);
      const index = this.indexOf(name);
      if (index === -1) this.flat.push(name, value);
      else this.flat[index + 1] = value;
      return this;
    }

    override appendHeader(name: string, value: string | readonly string[]): this {
      const present = this.getHeader(name);
      return this.setHeader(name, present === undefined ? value : [present, value].flat().map(String));
    }

    override getHeader(name: string): OutgoingHttpHeader | undefined {
      const index = this.indexOf(name);
      return index === -1 ? undefined : (this.flat[index + 1] as OutgoingHttpHeader);
    }

    override hasHeader(name: string): boolean {
      return this.indexOf(name) !== -1;
    }

    override removeHeader(name: string): void {
      // Node remembers which of its own headers (Date, Connection …) are not wanted.
      super.removeHeader(name);
      const index = this.indexOf(name);
      if (index !== -1) this.flat.splice(index, 2);
    }

    override getHeaderNames(): string[] {
      return this.flat.filter((_, index) => index % 2 === 0).map((name) => String(name).toLowerCase());
    }

    override getHeaders(): OutgoingHttpHeaders {
      const headers = Object.create(null) as OutgoingHttpHeaders;
      for (const name of this.getHeaderNames()) headers[name] = this.getHeader(name);
      return headers;
    }

    override writeHead(
      statusCode: number,
      reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
      headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
    ): this {
      const given = typeof reason === 'string' ? headers : reason;
      if (given) this.setAll(given);
      if (typeof reason === 'string') this.statusMessage = reason;
      return super.writeHead(statusCode, this.flat as OutgoingHttpHeader[]);
    }

    override end(chunk?: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): this {
      const isWhole =
        typeof chunk === 'string' &&
        chunk !== '' &&
        !this.headersSent &&
        this.hasHeader('Content-Length') &&
        !callback;
      if (!isWhole || typeof encoding === 'function')
        return super.end(chunk, encoding as BufferEncoding, callback);
      // Now, while somebody is there to catch what is thrown when a header cannot be sent.
      this.writeHead(this.statusCode);
      this.text = chunk;
      this.encoding = encoding ?? 'utf8';
      this.finished = true;
      queue.add(this);
      return this;
    }

    leave(): void {
      this.finished = false;
      const { socket } = this;
      // An earlier answer on its connection has not ended.
      if (!socket) {
        super.end(this.text, this.encoding);
        return;
      }
      // Node puts an empty piece behind what is handed to `end`, and two pieces take a dearer way than one.
      socket.cork();
      super.write(this.text, this.encoding);
      socket.uncork();
      super.end();
    }

    private setAll(headers: OutgoingHttpHeaders | OutgoingHttpHeader[]): void {
      const entries = Array.isArray(headers) ? pairs(headers) : Object.entries(headers);
      for (const [name, value] of entries) if (value !== undefined) this.setHeader(String(name), value);
    }

    private indexOf(name: string): number {
      const { flat } = this;
      for (let index = 0; index < flat.length; index += 2) {
        const present = flat[index] as string;
        if (present === name) return index;
        if (present.length === name.length && isSameName(present, name)) return index;
      }
      return -1;
    }
  };
}

/** The bit by which letters differ in case. */
const CASE = 0x20;

/** Of one length: most names differ in their last letters, which is seen without making lower-case texts of both. */
function isSameName(one: string, other: string): boolean {
  for (let index = one.length - 1; index >= 0; index--) {
    if ((one.charCodeAt(index) | CASE) !== (other.charCodeAt(index) | CASE)) return false;
  }
  // Not only letters have that bit: ^ and ~, for instance, are two.
  return one.toLowerCase() === other.toLowerCase();
}

function pairs(flat: OutgoingHttpHeader[]): [OutgoingHttpHeader, OutgoingHttpHeader | undefined][] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1]] as const] : []));
}
