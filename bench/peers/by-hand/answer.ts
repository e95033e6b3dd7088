import { createHash } from 'node:crypto';

/** An answer before the headers that every answer has; `headers` holds names and values by turns. */
export interface Answer {
  readonly status: number;
  readonly headers: string[];
  readonly body: string;
  /** A strong tag of a body that can be asked for again; null for any other. */
  readonly etag: string | null;
}

/** A resource that GET answers with. */
export function json(body: string): Answer {
  const etag = `"${createHash('sha1').update(body).digest('base64url')}"`;
  const headers = ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', 'Authorization'];
  return { status: 200, headers: [...contentHeaders(body), ...headers], body, etag };
}

export function created(location: string, body: string): Answer {
  return { status: 201, headers: ['Location', location, ...contentHeaders(body)], body, etag: null };
}

export function failure(status: number, code: string, message: string, headers: string[] = []): Answer {
  const body = JSON.stringify({ code, message, status });
  return { status, headers: [...headers, ...contentHeaders(body)], body, etag: null };
}

/** The answer itself, or 304 when the caller has it already (RFC 9110, section 13.1.2). */
export function unlessKnown(answer: Answer, ifNoneMatch: string | undefined): Answer {
  if (ifNoneMatch === undefined || answer.etag === null) return answer;
  const known = ifNoneMatch.split(',').some((tag) => tag.trim().replace('W/', '') === answer.etag);
  if (!known && ifNoneMatch.trim() !== '*') return answer;
  // Without the type and the length, which come first.
  return { ...answer, status: 304, headers: answer.headers.slice(4), body: '' };
}

function contentHeaders(body: string): string[] {
  return [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ];
}
