import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  OutgoingMessage,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';

type Value = number | string | readonly string[];
type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** A name as it was spelled. */
interface Name {
  /** Equal for a name in upper and in lower case. */
  readonly bit: number;
  /** How its line of the head begins; null when Node has to look at its value. */
  readonly prefix: string | null;
  /** Most headers have the same value in every response. */
  validValue: Value | null;
  /** The line of that value. */
  line: string | null;
}

const MAX_BITS = 31;
const MAX_NAMES = 100;
const MAX_VALID_CHARACTERS = 256;
/** V8 would extend an array that begins empty twice. */
const USUAL_PLACES = 32;
/** Node sends these in another place, or encodes them differently, when it gets them in an array. */
const LEFT_TO_NODE = /^\d+$|^content-disposition$/i;
/** These decide how Node frames the body and whether it closes the connection. */
const FRAMING = /^(?:connection|content-length|date|expect|keep-alive|trailer|transfer-encoding)$/i;

/** Methods of Node that are missing in its types. */
const { getRawHeaderNames, _storeHeader: storeHeader } = OutgoingMessage.prototype as unknown as {
  getRawHeaderNames: () => string[];
  _storeHeader: (head: string, headers: unknown) => void;
};

const names = new Map<string, Name | null>();
const bits = new Map<string, number>();

/** @returns null for a header that is left to Node. @throws TypeError when this is not the name of a header */
function nameOf(text: string): Name | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  validateHeaderName(text);
  if (names.size === MAX_NAMES) return null;
  const lowerCase = text.toLowerCase();
  const bit = bits.get(lowerCase) ?? (bits.size < MAX_BITS ? 1 << bits.size : 0);
  const prefix = FRAMING.test(text) ? null : `${text}: `;
  const name = bit === 0 || LEFT_TO_NODE.test(text) ? null : { bit, prefix, validValue: null, line: null };
  if (name !== null) bits.set(lowerCase, bit);
  names.set(text, name);
  return name;
}

function lineOf(prefix: string, value: string | number): string {
  return `${prefix}${value}\r\n`;
}

function bitOf(text: string): number {
  return names.get(text)?.bit ?? bits.get(text.toLowerCase()) ?? 0;
}

/**
 * Makes a class of responses that collect their headers in an array, which Node sends as it is. Node itself stores
 * headers that are set one by one in an object, and copies them out of it. At the first call that is not plain setting
 * and getting, Node gets the collected headers and handles the rest of the response. It handles all of it when other
 * code, such as a security agent, has replaced a method of Node.
 */
export function collectingResponse(): typeof ServerResponse {
  const isReplaced = (['setHeader', 'getHeader', 'hasHeader', 'appendHeader'] as const).some(
    (name) => Object.hasOwn(ServerResponse.prototype, name) || OutgoingMessage.prototype[name].name !== name,
  );

  class CollectingResponse<From extends IncomingMessage> extends ServerResponse<From> {
    /** Names and values alternately; null when Node has them. */
    private collected: Value[] | null = isReplaced ? null : new Array<Value>(USUAL_PLACES);
    /** How many places of it are used. */
    private used = 0;
    private present = 0;

    constructor(...parameters: ConstructorParameters<typeof ServerResponse<From>>) {
      super(...parameters);
      // An Express application that is called and not mounted replaces the prototype of a response.
      this.setHeader = own.setHeader;
      this.getHeader = own.getHeader;
      this.hasHeader = own.hasHeader;
      this.getHeaders = own.getHeaders;
      this.getHeaderNames = own.getHeaderNames;
      this.getRawHeaderNames = own.getRawHeaderNames;
      this.appendHeader = own.appendHeader;
      this.removeHeader = own.removeHeader;
      this.writeHead = own.writeHead;
      this.place = own.place;
      this.release = own.release;
    }

    override setHeader(text: string, value: Value): this {
      const { collected } = this;
      const name = collected === null || this.headersSent ? null : nameOf(text);
      if (collected === null || name === null) {
        this.release();
        return super.setHeader(text, value);
      }
      if (value !== name.validValue) {
        validateHeaderValue(text, value as string);
        if (typeof value === 'string' && value.length <= MAX_VALID_CHARACTERS) {
          name.validValue = value;
          name.line = null;
        }
      }
      const place = this.place(name.bit);
      if (place === this.used) this.used += 2;
      collected[place] = text;
      collected[place + 1] = value;
      this.present |= name.bit;
      return this;
    }

    override getHeader(text: string): OutgoingHttpHeader | undefined {
      return this.collected === null
        ? super.getHeader(text)
        : (this.collected[this.place(bitOf(text)) + 1] as OutgoingHttpHeader);
    }

    override hasHeader(text: string): boolean {
      return this.collected === null ? super.hasHeader(text) : this.getHeader(text) !== undefined;
    }

    override getHeaders(): OutgoingHttpHeaders {
      if (this.collected === null) return super.getHeaders();
      const headers = Object.create(null) as OutgoingHttpHeaders;
      for (const name of this.getHeaderNames()) headers[name] = this.getHeader(name);
      return headers;
    }

    override getHeaderNames(): string[] {
      const names = this.collected === null ? super.getHeaderNames() : this.getRawHeaderNames();
      return names.map((name) => name.toLowerCase());
    }

    getRawHeaderNames(): string[] {
      const { collected } = this;
      if (collected === null) return getRawHeaderNames.call(this);
      const found: string[] = [];
      for (let place = 0; place < this.used; place += 2) found.push(collected[place] as string);
      return found;
    }

    override appendHeader(text: string, value: string | readonly string[]): this {
      if (this.collected !== null && !this.headersSent && !this.hasHeader(text))
        return this.setHeader(text, value);
      this.release();
      return super.appendHeader(text, value);
    }

    override removeHeader(text: string): void {
      this.release();
      super.removeHeader(text);
    }

    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      const { collected } = this;
      if (collected !== null && this.used > 0 && reason === undefined && headers === undefined) {
        collected.length = this.used;
        return super.writeHead(status, collected as OutgoingHttpHeader[]);
      }
      this.release();
      return super.writeHead(status, reason as string, headers);
    }

    /**
     * Node calls it in `writeHead` with the first line of the head. The lines of valid headers are added here, up to
     * the first that Node has to look at.
     */
    _storeHeader(firstLine: string, headers: unknown): void {
      const { collected } = this;
      if (collected === null || headers !== collected) return storeHeader.call(this, firstLine, headers);
      let head = firstLine;
      let place = 0;
      for (; place < this.used; place += 2) {
        const name = names.get(collected[place] as string)!;
        const value = collected[place + 1]!;
        if (name.prefix === null || typeof value === 'object') break;
        head +=
          value === name.validValue ? (name.line ??= lineOf(name.prefix, value)) : lineOf(name.prefix, value);
      }
      storeHeader.call(this, head, collected.slice(place));
    }

    /** Where a header is, or where the next one goes. */
    place(bit: number): number {
      const collected = this.collected!;
      if ((this.present & bit) === 0) return this.used;
      let place = 0;
      while (names.get(collected[place] as string)!.bit !== bit) place += 2;
      return place;
    }

    /** Passes the headers to Node. Those that are sent stay, for later readers. */
    release(): void {
      const { collected } = this;
      if (collected === null || this.headersSent) return;
      this.collected = null;
      for (let place = 0; place < this.used; place += 2)
        super.setHeader(collected[place] as string, collected[place + 1]!);
    }
  }
  const own = CollectingResponse.prototype as unknown as Record<keyof CollectingResponse<never>, never>;
  return CollectingResponse;
}
