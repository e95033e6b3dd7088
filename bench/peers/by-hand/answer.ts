import { createHash } from 'node:crypto';

/** An answer before the headers that every answer has; `headers` holds names and values by turns. */
export interface Answer {
  readonly status: number;
  readonly headers: string[];
  readonly body: string;
  /** Text of one byte a character can join the head in one write. */
  readonly encoding: 'latin1' | 'utf8';
  /** A strong tag of a body that can be asked for again; null for any other. */
  readonly etag: string | null;
}

/** A resource that GET answers with. */
export function json(body: string): Answer {
  const etag = `"${createHash('sha1').update(body).digest('base64url')}"`;
  return answer(
    200,
    body,
    ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', 'Authorization'],
    etag,
  );
}

export function created(location: string, body: string): Answer {
  return answer(201, body, ['Location', location]);
}

export function failure(status: number, code: string, message: string, headers: string[] = []): Answer {
  return answer(status, JSON.stringify({ code, message, status }), [...headers, 'Cache-Control', 'no-store']);
}

/** The answer itself, or 304 when the caller has it already (RFC 9110, section 13.1.2). */
export function unlessKnown(whole: Answer, ifNoneMatch: string | undefined): Answer {
  if (ifNoneMatch === undefined) return whole;
  const isKnown = ifNoneMatch.split(',').some((tag) => tag.trim().replace('W/', '') === whole.etag);
  if (!isKnown && ifNoneMatch.trim() !== '*') return whole;
  return { ...whole, status: 304, headers: whole.headers.slice(CONTENT_HEADERS), body: '' };
}

/** How many entries of `headers` the type and the length take; they come first. */
const CONTENT_HEADERS = 4;

function answer(status: number, body: string, headers: string[], etag: string | null = null): Answer {
  const length = Buffer.byteLength(body);
  return {
    status,
    headers: [
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      String(length),
      ...headers,
    ],
    body,
    encoding: length === body.length ? 'latin1' : 'utf8',
    etag,
  };
}
