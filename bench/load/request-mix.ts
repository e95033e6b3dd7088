/**
 * What a load generator sends: whole HTTP/1.1 requests, each made of fixed text and slots that change from request to
 * request. Both generators read it, so both send the same bytes.
 */
export interface RequestMix {
  readonly templates: readonly RequestTemplate[];
}

export interface RequestTemplate {
  /** How many of each round of requests are made of this template. */
  readonly weight: number;
  readonly parts: readonly (string | Slot)[];
}

/** The next line of a file, over and over; or a number that grows by one a request, always `COUNTER_WIDTH` wide. */
export type Slot = { readonly linesOf: string } | { readonly counter: 'zeros' | 'spaces' };

export const COUNTER_WIDTH = 10;

export interface RequestParts {
  readonly method: 'GET' | 'POST';
  readonly path: readonly (string | Slot)[];
  readonly key: string | Slot;
  readonly headers?: readonly (string | Slot)[];
  readonly body?: readonly (string | Slot)[];
}

/** A template for requests with `weight` among the others. */
export function requests(
  { method, path, key, headers = [], body }: RequestParts,
  weight = 1,
): RequestTemplate {
  const parts: (string | Slot)[] = [`${method} `, ...path, ' HTTP/1.1\r\nHost: 127.0.0.1\r\n'];
  parts.push('Authorization: Bearer ', key, '\r\n', ...headers);
  if (body)
    parts.push(`Content-Type: application/json\r\nContent-Length: ${lengthOf(body)}\r\n\r\n`, ...body);
  else parts.push('\r\n');
  return { weight, parts: joined(parts) };
}

function lengthOf(body: readonly (string | Slot)[]): number {
  return body.reduce((length, part) => {
    if (typeof part === 'string') return length + Buffer.byteLength(part);
    if ('counter' in part) return length + COUNTER_WIDTH;
    throw new Error('Lines of a file differ in length: a body cannot hold them.');
  }, 0);
}

function joined(parts: readonly (string | Slot)[]): (string | Slot)[] {
  const result: (string | Slot)[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (typeof part === 'string' && typeof last === 'string') result[result.length - 1] = last + part;
    else result.push(part);
  }
  return result;
}
