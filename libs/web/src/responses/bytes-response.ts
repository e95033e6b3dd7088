import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { factsOf } from '../request-facts.js';
import { RangeNotSatisfiable } from './request.errors.js';
import { entityTag } from './conditions/entity-tag.js';
import { endIfKnown } from './conditions/if-none-match.js';

/** The first and the last byte of a part. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Sends a StreamableFile. The response to a GET can be cached and validated like a resource, by the `ETag` that the
 * handler has set. Bytes without one get a strong tag, for which they are read once more. A part is sent of what has a
 * length (RFC 9110, section 14).
 *
 * A stream is never in memory as a whole, and never sends more or less than its length.
 *
 * @param sendStream Nest's way
 * @throws RangeNotSatisfiable, TooManyBodies, ServerFull, and the error of a stream that fails before its first byte
 */
export async function sendFile(
  response: Response,
  file: StreamableFile,
  sendStream: (file: StreamableFile) => unknown,
): Promise<unknown> {
  const { req: request } = response;
  const stream = file.getStream();
  const { type, disposition, length } = file.getHeaders();
  // An unread stream would stay open.
  if (response.closed) stream.destroy();
  else response.once('close', () => stream.destroy());
  const isRepresentation = ['GET', 'HEAD'].includes(request.method) && response.statusCode === 200;
  const bytes = arrived(stream, length);
  if (isRepresentation) {
    if (bytes !== null && !response.hasHeader('ETag')) response.setHeader('ETag', await entityTag(bytes));
    if (endIfKnown(response)) return;
  }
  const part = isRepresentation && length !== undefined ? partOf(request, response, length) : null;
  if (bytes === null) await begun(stream);
  else if (request.method === 'GET') reserve(response, bytes.length);
  setUnlessSet(response, 'Content-Type', type);
  if (disposition !== undefined) setUnlessSet(response, 'Content-Disposition', disposition);
  if (length === undefined) return sendStream(file);
  if (isRepresentation) response.setHeader('Accept-Ranges', 'bytes');
  if (part !== null) {
    response.statusCode = 206;
    response.setHeader('Content-Range', `bytes ${part.start}-${part.end}/${length}`);
  }
  const { start, end } = part ?? { start: 0, end: length - 1 };
  response.setHeader('Content-Length', end - start + 1);
  if (request.method === 'HEAD') return response.end();
  if (bytes !== null) return response.end(bytes.subarray(start, end + 1));
  const sent = Readable.from(partOfStream(stream, start, end, length), { objectMode: false });
  return sendStream(new StreamableFile(sent));
}

/** A client may be slow to read what is in memory as a whole. */
function reserve(response: Response, bytes: number): void {
  try {
    factsOf(response.req).reserve?.(bytes);
  } catch (error) {
    forgetResource(response);
    throw error;
  }
}

/** An error has none of its headers. */
function forgetResource(response: Response): void {
  for (const name of ['ETag', 'Cache-Control', 'Vary']) response.removeHeader(name);
}

/** The bytes of a file that was made of them: they are in its stream already. Null for any other. */
function arrived(stream: Readable, length: number | undefined): Buffer | null {
  if (length === undefined || stream.readableLength !== length || stream.readableObjectMode) return null;
  if (length === 0) return Buffer.alloc(0);
  const bytes: unknown = stream.read();
  return Buffer.isBuffer(bytes) ? bytes : bytes instanceof Uint8Array ? Buffer.from(bytes) : null;
}

/** The unit is case-insensitive (RFC 9110, section 14.1). */
const RANGES = /^bytes=(.*)$/i;
const RANGE = /^(\d*)-(\d*)$/;

/** @throws RangeNotSatisfiable */
function partOf(request: Request, response: Response, length: number): Part | null {
  const { range, 'if-range': condition } = request.headers;
  if (range === undefined || request.method !== 'GET') return null;
  // A weak tag never matches (RFC 9110, section 13.1.5).
  const tag = response.getHeader('ETag') as string | undefined;
  if (condition !== undefined && (condition !== tag || tag.startsWith('W/'))) return null;
  const items = (RANGES.exec(range)?.[1] ?? '').split(',').map((item) => item.trim());
  const ranges = items.filter((item) => item !== '').map((item) => RANGE.exec(item));
  if (ranges.length === 0 || ranges.some((found) => found === null || found[0] === '-')) return null;
  const parts = ranges.flatMap((found) => partFrom(found!, length) ?? []);
  if (parts.length === 0) {
    forgetResource(response);
    response.setHeader('Content-Range', `bytes */${length}`);
    throw new RangeNotSatisfiable(length);
  }
  // Several ranges get the whole content, because a response of several parts has no use here.
  return ranges.length === 1 ? parts[0]! : null;
}

/** Null when the range is not within the bytes. */
function partFrom([, first = '', last = '']: RegExpExecArray, length: number): Part | null {
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  return start <= end ? { start, end } : null;
}

/** Resolves with the first bytes of a stream, or its end. @throws what it fails with */
function begun(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.errored) return reject(stream.errored);
    if (stream.readableLength > 0 || stream.readableEnded || stream.destroyed) return resolve();
    stream
      .once('readable', resolve)
      .once('error', reject)
      .once('close', () => resolve());
  });
}

async function* partOfStream(stream: Readable, start: number, end: number, length: number) {
  let at = 0;
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const from = Math.max(0, start - at);
    const to = Math.min(bytes.length, end + 1 - at);
    if (from < to) yield bytes.subarray(from, to);
    at += bytes.length;
    if (at > end) return;
  }
  throw new Error(`The stream has ended after ${at} of its ${length} bytes.`);
}

function setUnlessSet(response: Response, name: string, value: string | string[]): void {
  if (!response.hasHeader(name)) response.setHeader(name, value);
}
