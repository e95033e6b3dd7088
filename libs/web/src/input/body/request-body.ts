import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { parseJson } from '@animal-store/kernel';
import { factsOf } from '../../request-facts.js';
import type { BodyMemory } from './body-memory.js';
import { acceptedType, type BytesBodyOptions } from './bytes-body.js';
import {
  EmptyBody,
  InvalidJson,
  InvalidRequest,
  PayloadTooLarge,
  UnexpectedBody,
  UnsupportedMediaType,
} from '../../responses/request.errors.js';

const EMPTY = Buffer.alloc(0);

/**
 * How a handler uses a body: it needs JSON (`json`), it needs the bytes of any content (`bytes`), or it can see JSON
 * when there is some (`offered`).
 */
export type BodyNeed = 'json' | 'bytes' | 'offered';

/** Requests with these methods rarely have a body. Without one, `request.body` is undefined instead of an error. */
const BODILESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

type BodyRequest = Request & { rawBody?: Buffer };

/**
 * Reads the body of `request` into its `body` and `rawBody`. A body that a middleware has read stays.
 * @returns a promise, unless the body has arrived or is not read
 * @throws UnsupportedMediaType when JSON is needed and something else was sent, and the errors of reading and parsing
 */
export function readBody(
  request: BodyRequest,
  need: BodyNeed,
  limitBytes: number,
): Promise<void> | undefined {
  if (request.body !== undefined || isBodiless(request)) return undefined;
  const problem = need !== 'json' && isEmpty(request) ? 'empty' : jsonProblem(request);
  if (problem instanceof Error && need === 'json') throw problem;
  if (problem && need === 'offered') return undefined;
  const bytes = readBytes(request, limitBytes);
  if (bytes instanceof Promise) return bytes.then((all) => setBody(request, all, !problem));
  setBody(request, bytes, !problem);
  return undefined;
}

/**
 * Reads a body of bytes into `body`, with its type, and into `rawBody`.
 * @throws EmptyBody, UnsupportedMediaType, and the errors of reading
 */
export async function readBytesBody(
  request: BodyRequest,
  { types, maxBytes }: BytesBodyOptions,
  memory: BodyMemory,
): Promise<void> {
  if (request.body !== undefined) return;
  const mediaType = acceptedType(request, types);
  const problem = encodingProblem(request);
  if (problem !== null) throw problem;
  const bytes = await readBytes(request, maxBytes, memory.opened(request, maxBytes));
  if (bytes.length === 0) throw new EmptyBody();
  request.rawBody = bytes;
  request.body = { bytes, mediaType };
}

/**
 * Refuses the body of an operation without one. A body without a field is accepted, as some clients always send `{}`. A
 * form of files stays a stream, which an interceptor may read.
 * @returns a promise, unless there is no body
 * @throws UnexpectedBody, and the errors of reading
 */
export function refuseBody(request: Request, limitBytes: number): Promise<void> | undefined {
  return isEmpty(request) || request.is('multipart/*') ? undefined : refuseFields(request, limitBytes);
}

async function refuseFields(request: Request, limitBytes: number): Promise<void> {
  let bytes: Buffer;
  try {
    bytes = await readBytes(request, limitBytes);
  } catch (error) {
    throw error instanceof PayloadTooLarge ? new UnexpectedBody([]) : error;
  }
  if (!/^(\{\s*\})?$/.test(bytes.toString().trim())) throw new UnexpectedBody(fieldsIn(bytes));
}

function fieldsIn(bytes: Buffer): string[] {
  try {
    const sent = jsonFrom(bytes);
    return typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? Object.keys(sent) : [];
  } catch {
    // What is no JSON has no fields to name.
    return [];
  }
}

function setBody(request: BodyRequest, bytes: Buffer, isParsed: boolean): void {
  request.rawBody = bytes;
  if (isParsed) request.body = jsonFrom(bytes);
}

function isBodiless(request: Request): boolean {
  return (
    BODILESS.includes(request.method) && isEmpty(request) && request.headers['content-type'] === undefined
  );
}

function isEmpty({ headers }: Request): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

type Reserve = (bytes: number) => void;

const reserveNothing: Reserve = () => undefined;

/** Makes every read of the body of `request`, now or later, fail with `error`. */
export function abortBody(request: IncomingMessage, error: Error): void {
  const facts = factsOf(request);
  facts.bodyError = error;
  facts.rejectBody?.(error);
}

/** Whether the body that was read came after the head. */
export function hasArrivedLate(request: IncomingMessage): boolean {
  return factsOf(request).rejectBody !== null;
}

/**
 * The bytes of a request's body: a Buffer when the whole body has arrived with the head, as small bodies usually do,
 * and otherwise a promise. They can be read only once.
 * @param reserve called with the number of bytes before they are stored; it may throw
 * @throws PayloadTooLarge as soon as the body exceeds the limit
 * @throws the error of `abortBody`, or InvalidRequest, when the body is incomplete
 */
function readBytes(
  request: Request,
  limitBytes: number,
  reserve: Reserve = reserveNothing,
): Buffer | Promise<Buffer> {
  // NaN when the header is missing. Every comparison with NaN is false.
  const announcedBytes = Number(request.headers['content-length']);
  if (announcedBytes > limitBytes) throw new PayloadTooLarge(limitBytes);
  // HTTP/1.0 does not have this expectation (RFC 9110, section 10.1.1).
  const isAwaitingContinue = request.headers.expect?.toLowerCase() === '100-continue';
  if (isAwaitingContinue && request.httpVersionMinor === 1) request.res!.writeContinue();
  if (isIncomplete(request)) throw incomplete(request);
  if (request.complete) {
    if (request.readableLength > limitBytes) throw new PayloadTooLarge(limitBytes);
    return wholeBody(request, reserve);
  }
  if (request.readableLength === announcedBytes) return wholeBody(request, reserve);
  return lateBytes(request, limitBytes, announcedBytes, reserve);
}

async function lateBytes(
  request: Request,
  limitBytes: number,
  announcedBytes: number,
  reserve: Reserve,
): Promise<Buffer> {
  // Node reads what arrived with the head after the listeners for the head. Then this turn has ended.
  await Promise.resolve();
  return request.readableLength === announcedBytes
    ? wholeBody(request, reserve)
    : await chunksOf(request, limitBytes, announcedBytes, reserve);
}

/** The body as it arrives. */
function chunksOf(
  request: Request,
  limitBytes: number,
  announcedBytes: number,
  reserve: Reserve,
): Promise<Buffer> {
  return new Promise((resolve, rejectWith) => {
    if (isIncomplete(request)) return rejectWith(incomplete(request));
    const facts = factsOf(request);
    const sinceMs = performance.now();
    const chunks: Buffer[] = [];
    let length = 0;
    let isRefused = false;
    // What follows is not stored: the request may live on until its sender stops.
    const reject = (error: Error) => {
      isRefused = true;
      chunks.length = 0;
      facts.bodyWaitMs ??= performance.now() - sinceMs;
      rejectWith(error);
    };
    facts.rejectBody = reject;
    const onComplete = () => {
      facts.bodyWaitMs ??= performance.now() - sinceMs;
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    };
    // Every request emits 'close', usually after its body has ended.
    const onAborted = () => {
      if (!request.readableEnded) reject(incomplete(request));
    };
    // Only the first outcome counts. Removing the listeners would cost as much as adding them. They are collected with
    // the request.
    request
      .on('data', (chunk: Buffer) => {
        if (isRefused) return;
        length += chunk.length;
        if (length > limitBytes) return reject(new PayloadTooLarge(limitBytes));
        try {
          reserve(chunk.length);
        } catch (error) {
          return reject(error as Error);
        }
        chunks.push(chunk);
        if (length === announcedBytes) onComplete();
      })
      .on('end', onComplete)
      .on('error', onAborted)
      .on('close', onAborted);
  });
}

/** Deeper than any useful input, and safe for the stack of a function that walks through a body. */
const MAX_DEPTH = 200;

/**
 * The JSON value in the bytes of a body.
 * @throws InvalidJson when it is not JSON text in UTF-8 (RFC 8259), or nests too deeply.
 */
function jsonFrom(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new InvalidJson('it is not UTF-8');
  const text = bytes.toString();
  if (nestsTooDeeply(text)) throw new InvalidJson('it nests too deeply');
  try {
    return parseJson(text);
  } catch (error) {
    throw new InvalidJson((error as Error).message);
  }
}

function nestsTooDeeply(text: string): boolean {
  // A shorter text has no place for more levels, as each has a beginning and an end.
  if (text.length <= 2 * MAX_DEPTH) return false;
  let depth = 0;
  for (const [bracket] of text.replace(STRING, '').matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') depth++;
    else depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** A string of JSON, in which a bracket is a character; also one without an end, so that the search is linear. */
const STRING = /"(?:[^"\\]|\\.?)*"?/gs;

/** Why the body is not uncompressed `application/json` in UTF-8; null when it is. */
function jsonProblem(request: Request): Error | null {
  if (!isJson(request)) return new UnsupportedMediaType('Content-Type must be application/json, in UTF-8.');
  return encodingProblem(request);
}

/** Why the body cannot be read uncompressed; null when it can. */
function encodingProblem(request: Request): Error | null {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return new UnsupportedMediaType('Content-Encoding must be left out: the body is read uncompressed.');
  }
  const coding = request.headers['transfer-encoding'];
  if (coding === undefined || coding.toLowerCase() === 'chunked') return null;
  return new InvalidRequest('Transfer-Encoding must be chunked or left out: the body is read uncompressed.');
}

function isJson({ headers }: Request): boolean {
  const contentType = headers['content-type'];
  if (contentType === 'application/json') return true;
  if (contentType === undefined) return false;
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return type === 'application/json' && parameters.every((parameter) => isHarmless(parameter));
}

function isHarmless(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  return name !== 'charset' || /^"?utf-?8"?$/.test(value);
}

/** The body when it has arrived completely, before the request emits 'end'. */
function wholeBody(request: Request, reserve: Reserve): Buffer {
  reserve(request.readableLength);
  const bytes = (request.read() as Buffer | null) ?? EMPTY;
  // Without this the request never ends, and its connection continues to reference it.
  request.resume();
  return bytes;
}

function isIncomplete(request: IncomingMessage): boolean {
  return factsOf(request).bodyError !== null || request.destroyed;
}

function incomplete(request: IncomingMessage): Error {
  return factsOf(request).bodyError ?? new InvalidRequest();
}
