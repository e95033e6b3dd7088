import { createHash } from 'node:crypto';

/** A response before the headers that all have; `headers` holds names and values by turns. */
export interface Ready {
  readonly status: number;
  readonly headers: string[];
  readonly body: string;
  /** Text of one byte a character can join the head in one write. */
  readonly encoding: 'latin1' | 'utf8';
  /** A strong tag of a body that can be asked for again; null for any other. */
  readonly etag: string | null;
}

/** How many entries of `headers` the type and the length take; they come first. */
const CONTENT_HEADERS = 4;

/** A resource that GET responds with. */
export function json(body: string): Ready {
  const etag = `"${createHash('sha1').update(body).digest('base64url')}"`;
  return ready(
    200,
    body,
    ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', 'Authorization'],
    etag,
  );
}

export function created(location: string, body: string): Ready {
  return ready(201, body, ['Location', location]);
}

export function failure(status: number, code: string, message: string, headers: string[] = []): Ready {
  return ready(status, JSON.stringify({ code, message, status }), [...headers, 'Cache-Control', 'no-store']);
}

/** The response itself, or 304 when the caller has it already (RFC 9110, section 13.1.2). */
export function unlessKnown(whole: Ready, ifNoneMatch: string | undefined): Ready {
  if (ifNoneMatch === undefined) return whole;
  const isKnown = ifNoneMatch.split(',').some((tag) => tag.trim().replace('W/', '') === whole.etag);
  if (!isKnown && ifNoneMatch.trim() !== '*') return whole;
  return { ...whole, status: 304, headers: whole.headers.slice(CONTENT_HEADERS), body: '' };
}

/** Thrown where input is read. */
export class Refusal extends Error {
  constructor(readonly response: Ready) {
    super(response.body);
  }

  static of(error: unknown): Ready {
    if (error instanceof Refusal) return error.response;
    throw error;
  }
}

function ready(status: number, body: string, own: string[], etag: string | null = null): Ready {
  const length = Buffer.byteLength(body);
  const headers = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(length),
    ...own,
  ];
  return { status, headers, body, encoding: length === body.length ? 'latin1' : 'utf8', etag };
}
