/** Requests that attack the connection itself, as text. The suites, the long run and the soak send them. */

/** A head without its last empty line. */
export function headOf(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, 'Host: store', ...headers, ''].join('\r\n');
}

export function bearer(key: string): string {
  return `Authorization: Bearer ${key}`;
}

export function get(path: string, ...headers: readonly string[]): string {
  return `${headOf(`GET ${path}`, ...headers)}\r\n`;
}

/** The head and the body of a request that adds an animal. */
export function addition(key: string, name: string, ...headers: readonly string[]): [string, string] {
  const body = `{"name":"${name}","categoryId":7}`;
  const fields = [bearer(key), 'Content-Type: application/json', `Content-Length: ${body.length}`];
  return [`${headOf('POST /v1/pets', ...fields, ...headers)}\r\n`, body];
}

/** More than one read of a server, which reads 64 KiB at once, of less than the largest head. */
const PADDED_REQUESTS = 14;
const PADDING_BYTES = 13_000;

/** A request whose response closes the connection, with `next` in the same write. */
export function closing(next: string, ...headers: readonly string[]): string {
  return get('/v1/pets', 'Expect: 100-continue', ...headers) + next;
}

/** A request whose response closes the connection, with others after it that arrive in several reads. */
export function closingPipeline(...headers: readonly string[]): string {
  const padded = get('/v1/pets', `X-Padding: ${'x'.repeat(PADDING_BYTES)}`, ...headers);
  return closing(padded.repeat(PADDED_REQUESTS), ...headers);
}

/**
 * A request for another protocol with the head of an addition after it, and the body of the addition, which is itself
 * the text of `smuggled`.
 */
export function upgradeDesync(key: string, smuggled: string): [string, string] {
  const upgrade = get('/v1/pets', bearer(key), 'Connection: Upgrade', 'Upgrade: h2c');
  const fields = [bearer(key), 'Content-Type: application/json', `Content-Length: ${smuggled.length}`];
  return [`${upgrade}${headOf('POST /v1/pets', ...fields)}\r\n`, smuggled];
}

/** Headers of no coding that the parser accepts, and from which no length follows. */
export const NO_CODINGS = ['Transfer-Encoding:', 'Transfer-Encoding:\r\nTransfer-Encoding: '];

/** A request whose length cannot be known, with `next` where its body would be. */
export function withoutLength(key: string, next: string, codings = NO_CODINGS[0]!): string {
  const fields = [bearer(key), 'Content-Type: application/json', codings];
  return `${headOf('POST /v1/pets', ...fields)}\r\n${next}`;
}

/** Text that cannot be read as a request, and the status of its response. */
export const UNREADABLE: readonly (readonly [name: string, text: string, status: number])[] = [
  ['no request line', 'GARBAGE\r\n\r\n', 400],
  ['no Host', 'GET /v1/pets HTTP/1.1\r\n\r\n', 400],
  ['a tunnel', 'CONNECT store:443 HTTP/1.1\r\nHost: store\r\n\r\n', 400],
  ['a header of 20 kB', get('/v1/pets', `X-Bomb: ${'a'.repeat(20_000)}`), 431],
  ['a hundred and fifty headers', get('/v1/pets', ...Array<string>(150).fill('a: b')), 431],
];
