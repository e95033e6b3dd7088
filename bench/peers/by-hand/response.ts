import { hash } from 'node:crypto';

/** A response before the headers that all have; `headers` has names and values by turns. */
export interface Ready {
  readonly status: number;
  readonly headers: string[];
  readonly body: string;
  /** Text of one byte a character can join the head in one write. */
  readonly encoding: 'latin1' | 'utf8';
}

/** A resource that GET responds with. */
export function json(body: string): Ready {
  return ready(200, body, [
    'ETag',
    tagOf(body),
    'Cache-Control',
    'private, no-cache',
    'Vary',
    'Authorization',
  ]);
}

export function created(location: string, body: string): Ready {
  return ready(201, body, ['ETag', tagOf(body), 'Location', location]);
}

function tagOf(body: string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

export function failure(status: number, code: string, message: string, headers: string[] = []): Ready {
  const all = ['Link', `</docs/errors#${code}>; rel="help"`, 'Cache-Control', 'no-store'];
  return ready(status, JSON.stringify({ code, message, status }), [...headers, ...all]);
}

/** Thrown where input is read. */
export class Refusal extends Error {
  readonly response: Ready;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.response = failure(status, code, message);
  }
}

function ready(status: number, body: string, own: string[]): Ready {
  const length = Buffer.byteLength(body);
  const content = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(length)];
  return {
    status,
    headers: [...content, ...own],
    body,
    encoding: length === body.length ? 'latin1' : 'utf8',
  };
}
